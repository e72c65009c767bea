/** At most `digits` significant digits, thousands apart, "≈ " in front when digits were dropped. */
export function formatNumber(value: number, digits = 12): string {
  if (Number.isSafeInteger(value)) return grouped(String(value))
  const rounded = Number(value.toPrecision(digits))
  // Doubles carry about 16 digits: a smaller difference is residue (0.1 + 0.2), not a dropped digit.
  const dropped = Math.abs(rounded - value) > Math.abs(value) * 1e-14
  const written =
    Math.abs(rounded) >= 1e21 || Math.abs(rounded) < 1e-6 ? rounded.toExponential() : plain(rounded)
  return `${dropped ? '≈ ' : ''}${written.replace(/e\+?(-?\d+)/, ' × 10^$1')}`
}

function plain(value: number): string {
  const [whole = '', fraction] = String(value).split('.')
  return fraction ? `${grouped(whole)}.${fraction}` : grouped(whole)
}

function grouped(digits: string): string {
  return digits.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',')
}
