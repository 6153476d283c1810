"""Research code that no crawl uses yet: CFu-trees, two estimators of the class prior, cluster measures, term fields."""
