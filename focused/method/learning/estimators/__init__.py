"""The learners: scikit-learn estimators from sparse term counts to a linear decision."""
