"""ristretto255 by libsodium."""

from protocol.crypto.primitives.browser.calls import binary, check, unary

is_valid_point = check("ristrettoIsValid")
add = binary("ristrettoAdd")
subtract = binary("ristrettoSubtract")
multiply = binary("ristrettoMultiply")
times_base = unary("ristrettoTimesBase")
from_uniform = unary("ristrettoFromUniform")
scalar_add = binary("scalarAdd")
scalar_subtract = binary("scalarSubtract")
scalar_multiply = binary("scalarMultiply")
scalar_invert = unary("scalarInvert")
scalar_reduce = unary("scalarReduce")
