import { locale } from './locale.ts'

/** 12345 as 12,345 in the reader's own way. */
export const whole = (value: number) => new Intl.NumberFormat(locale()).format(value)

/** `1 entry`, `2 entries`: English has two forms. */
export const counted = (count: number, one: string, many: string) =>
  `${whole(count)} ${count === 1 ? one : many}`

/** US dollars: cents matter, and a fraction of one is still not nothing. */
export function money(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? 4 : 2
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd)
}

/** 648923 as 649 kB, in the reader's own way. */
export function byteSize(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const format = {
    style: 'unit',
    unit: units[power],
    unitDisplay: 'short',
    maximumSignificantDigits: 3,
  } as const
  return new Intl.NumberFormat(locale(), format).format(bytes / 1_000 ** power)
}

/** Seconds as `3 d 4 h`, `4 h 12 min`, `12 min`. */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return `${Math.floor(seconds)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
