"""Resource quantities: Kubernetes' decimal and binary notation read as exact integers.

Operators: `billionths` reads a quantity, `amount` rounds one to the smallest unit in which its resource is counted,
`quantity_text` writes such an amount as a quantity. `Quantity` also keeps the notation in which a quantity was written;
it gives Kubernetes' canonical form and the results of the getters `Value` and `MilliValue`.

Kubernetes 1.34: k8s.io/apimachinery/pkg/api/resource. Differs: a number with more than `MOST_DIGITS` digits, or an
exponent beyond that, is refused, because expanding it would take unbounded time and memory. DecimalSI above 999E, which
has no suffix, keeps its exponent in the canonical form (1e21), where 1.34 drops it.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Self

MOST_DIGITS: Final = 10_000
LARGEST_AMOUNT: Final = 10**100
INT64: Final = 2**63

NOT_A_QUANTITY: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
BAD_NUMBER: Final = "unable to parse numeric part of quantity"
BAD_SUFFIX: Final = "unable to parse quantity's suffix"

SHAPE: Final = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)", re.ASCII)
EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)
DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


class QuantityError(ValueError):
    """Raised for a text that is not a quantity; the message says why, in Kubernetes' words if it has any."""


def billionths(text: str) -> int:
    """Return the exact amount that `text` stands for, in billionths of a unit; finer ones are rounded away from zero.

    Raises: QuantityError if `text` is no quantity, or is 10^100 units or more.
    """
    quantity = Quantity.parse(text)
    if quantity.magnitude() > len(str(LARGEST_AMOUNT)) - 1:
        raise QuantityError("quantity is out of range: it must be less than 10^100")
    return quantity.billionths()


def amount(resource: str, billionths: int) -> int:
    """Round billionths, away from zero, to the smallest unit of `resource`: thousandths for "cpu", else whole units."""
    return _divided(billionths, 10**6 if resource == "cpu" else 10**9)


def quantity_text(resource: str, amount: int) -> str:
    """Write `amount` smallest units of `resource` as a short quantity that reads back the same."""
    if resource == "cpu":
        return Quantity(amount, -3, "DecimalSI").canonical()
    if resource == "memory" and abs(amount) < INT64:
        return Quantity(amount, 0, "BinarySI").canonical()
    return str(amount)


@dataclass(frozen=True)
class Quantity:
    """A quantity: unscaled x 10^exponent, in the notation `format`: DecimalSI, DecimalExponent or BinarySI.

    `word`: Kubernetes holds it as one int64 with an exponent and not as a big decimal. The two differ where the getters
    leave the range of int64, and in the number of digits that `dec` shows.
    """

    unscaled: int
    exponent: int
    format: str
    word: bool = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `text` as a quantity. Kubernetes: ParseQuantity in quantity.go.

        Raises: QuantityError.
        """
        shape = SHAPE.fullmatch(text)
        if not text or shape is None:
            raise QuantityError(NOT_A_QUANTITY)
        sign, whole, fraction, suffix = shape.group(1), shape.group(2), shape.group(3) or "", shape.group(4)
        format, shift = _notation(suffix)
        _within_bounds(len(text), shift)
        if _fits_a_word(format, shift, whole or "0", fraction):
            unscaled, exponent = _scaled(format, shift, int(whole + fraction or "0"), len(fraction))
            return cls(-unscaled if sign == "-" else unscaled, exponent, format)
        if not any(digit.isdigit() for digit in text[: len(text) - len(suffix)]):
            raise QuantityError(BAD_NUMBER)
        unscaled, exponent = _scaled(format, shift, _integer(whole + fraction or "0"), len(fraction))
        return cls._decimal(sign, unscaled, exponent, format)

    @classmethod
    def _decimal(cls, sign: str, unscaled: int, exponent: int, format: str) -> Self:
        """Return the quantity as a big decimal, rounded up to billionths; in binary notation it is capped at int64."""
        if unscaled:
            unscaled, exponent = _at_exponent(unscaled, exponent, -9), -9
        if format == "BinarySI" and unscaled > (INT64 - 1) * 10**9:
            unscaled, exponent = INT64 - 1, 0
        if format == "BinarySI" and 0 < unscaled < 10**-exponent:
            format = "DecimalSI"
        return cls(-unscaled if sign == "-" else unscaled, exponent, format, word=False)

    def magnitude(self) -> int:
        """Return an upper bound on the number of digits before the decimal point."""
        return len(_digits(abs(self.unscaled))) + self.exponent if self.unscaled else 0

    def billionths(self) -> int:
        """Return the exact amount in billionths of a unit."""
        return _at_exponent(self.unscaled, self.exponent, -9) if self.unscaled else 0

    def value(self) -> int:
        """Return the result of the getter `Value`: units, rounded up; outside int64 wrong as Kubernetes'."""
        return self._scaled_value(0)

    def milli_value(self) -> int:
        """Return the result of the getter `MilliValue`: thousandths, rounded up; outside int64 wrong as Kubernetes'."""
        return self._scaled_value(-3)

    def _scaled_value(self, exponent: int) -> int:
        """Return the quantity in units of 10^exponent.

        Kubernetes: ScaledValue in quantity.go; for a word in amount.go, for a big decimal in scale_int.go.
        """
        shift = self.exponent - exponent
        return _word_getter(self.unscaled, shift) if self.word else _decimal_getter(self.unscaled, shift)

    def canonical(self) -> str:
        """Return the canonical form that Kubernetes writes: no fraction, and the largest suffix that allows this.

        Kubernetes: CanonicalizeBytes in quantity.go.
        """
        if not self.unscaled:
            return "0"
        if self.format == "BinarySI" and (units := self._binary_units()) is not None:
            power = max(power for power in range(7) if units % 1024**power == 0)
            return f"{units // 1024**power}{['', *BINARY][power]}"
        return self._canonical_decimal("DecimalSI" if self.format == "BinarySI" else self.format)

    def _binary_units(self) -> int | None:
        """Return the whole units that a binary suffix can express; None for a fraction, or fewer than 1024 units."""
        units, rest = divmod(self.billionths(), 10**9)
        return None if rest or abs(units) < 1024 else units

    def _canonical_decimal(self, format: str) -> str:
        digits = _digits(abs(self.unscaled))
        mantissa = digits.rstrip("0")
        exponent = self.exponent + len(digits) - len(mantissa)
        mantissa, exponent = mantissa + "0" * (exponent % 3), exponent - exponent % 3
        suffixes = {power: suffix for suffix, power in DECIMAL.items()} if format == "DecimalSI" else {0: ""}
        return ("-" if self.unscaled < 0 else "") + mantissa + suffixes.get(exponent, f"e{exponent}")

    def dec(self) -> str:
        """Return the amount as Kubernetes' big decimal prints it, without exponent."""
        digits = _digits(abs(self.unscaled)) + "0" * (self.exponent if self.unscaled else 0)
        if self.exponent < 0:
            digits = digits.rjust(1 - self.exponent, "0")
            digits = f"{digits[: self.exponent]}.{digits[self.exponent :]}"
        return f"-{digits}" if self.unscaled < 0 else digits


def _notation(suffix: str) -> tuple[str, int]:
    """Return the notation of a suffix and the exponent that it stands for: of 2 for BinarySI, else of 10."""
    if suffix in DECIMAL:
        return "DecimalSI", DECIMAL[suffix]
    if suffix in BINARY:
        return "BinarySI", BINARY[suffix]
    exponent = EXPONENT.fullmatch(suffix)
    if exponent is None or len(exponent[1]) > 1000 or not -INT64 <= int(exponent[1]) < INT64:
        raise QuantityError(BAD_SUFFIX)
    return "DecimalExponent", int(exponent[1])


def _within_bounds(length: int, shift: int) -> None:
    """Check that the quantity is short enough to expand. Raises: QuantityError if it is not."""
    if length > MOST_DIGITS or abs(shift) > MOST_DIGITS:
        raise QuantityError(f"quantity is out of range: it has more than {MOST_DIGITS} digits")


def _fits_a_word(format: str, shift: int, whole: str, fraction: str) -> bool:
    """Whether Kubernetes takes its fast path, one int64: at most 18 digits, none finer than a billionth."""
    if format == "BinarySI":
        return not fraction and len(whole) <= 14 - shift * 3 // 10
    return len(whole) + len(fraction) <= 18 and shift - len(fraction) >= -9


def _scaled(format: str, shift: int, digits: int, places: int) -> tuple[int, int]:
    """Return the unscaled value and exponent of a number with these digits, `places` of them after the point."""
    return (digits << shift, -places) if format == "BinarySI" else (digits, shift - places)


def _at_exponent(unscaled: int, exponent: int, wanted: int) -> int:
    """Return the number unscaled x 10^exponent as a multiple of 10^wanted, rounded away from zero."""
    if exponent >= wanted:
        return unscaled * int(10 ** (exponent - wanted))
    return _divided(unscaled, 10 ** (wanted - exponent))


def _divided(number: int, divisor: int) -> int:
    """Return the quotient, rounded away from zero."""
    return -(-number // divisor) if number > 0 else number // divisor


def _word_getter(unscaled: int, shift: int) -> int:
    """Compute AsScaledInt64 of amount.go: outside int64 it wraps if shifted in one step, and is 0 if digit by digit."""
    exact = _at_exponent(unscaled, min(shift, 20), 0)
    in_one_step = shift in (1, 2, 3, 6, 9)
    return _int64(exact) if in_one_step or -INT64 <= exact < INT64 else 0


def _decimal_getter(unscaled: int, shift: int) -> int:
    """Compute scaledValue of scale_int.go, which is right for positive values less than 2^63."""
    if shift >= 0:
        return _int64(unscaled * int(10**shift))
    divisor: int = 10**-shift
    if unscaled < INT64 - 1 and -shift < 19:
        word = _int64(unscaled)
        return (abs(word) // divisor) * (-1 if word < 0 else 1) + (word % divisor != 0)
    return _int64(_int64(unscaled // divisor) + (unscaled % divisor != 0))


def _int64(number: int) -> int:
    """Return the number wrapped to 64 bits."""
    return (number + INT64) % (2 * INT64) - INT64


def _integer(digits: str) -> int:
    """Return int(digits), for any number of digits."""
    return int(Decimal(digits))


def _digits(number: int) -> str:
    """Return str(number), for any number of digits."""
    return str(Decimal(number))
