"""Learning from positive and unlabelled examples: scikit-learn estimators. Knows no HTML and no Scrapy."""
