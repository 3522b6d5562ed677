"""The questions that schedcheck answers, as functions: `import schedcheck` exports them.

Nothing here prints. Each function takes a `Cluster` and values, and returns frozen data with a JSON form.
"""
