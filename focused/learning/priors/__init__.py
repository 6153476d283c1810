"""How many of the unlabelled documents are positive: estimators of the class prior."""
