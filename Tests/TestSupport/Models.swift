// Whoever has the support has the models.
@_exported public import TestModels
