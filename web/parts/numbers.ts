/** 12345 as 12,345 in the reader's own way. */
export const whole = (value: number) => new Intl.NumberFormat().format(value)

/** `1 entry`, `2 entries`: English has two forms. */
export const counted = (count: number, one: string, many: string) =>
  `${whole(count)} ${count === 1 ? one : many}`

/** US dollars: cents matter, and a fraction of one is still not nothing. */
export function money(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? 4 : 2
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd)
}

/** Seconds as `3 d 4 h`, `4 h 12 min`, `12 min`. */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return `${Math.floor(seconds)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
