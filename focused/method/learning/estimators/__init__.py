"""The learners: scikit-learn estimators from sparse term counts to a linear decision.

Begin with `base`. The modules by what they do:

- Linear classifiers of P against U: `plain_svm` (the baseline), `screened_svm` (the default), `joined_svm`, `biased_svm`,
  `against_unlabeled`, `elkan_noto`, `lee_liu`, `nnpu` with its `pu_risk`; from P alone: `one_class`.
- Parts of them: `text_svm`, `weightings`, `cross_fitting`.
- The share of positives in U: `class_prior`, `mixture_proportion`.
"""
