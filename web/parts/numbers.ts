import { locale } from './locale.ts'

/** 12345 as 12,345 in the reader's locale. */
export const whole = (value: number) => new Intl.NumberFormat(locale()).format(value)

/** `1 entry`, `2 entries`: English has two forms. */
export const counted = (count: number, one: string, many: string) => `${whole(count)} ${count === 1 ? one : many}`

/** US dollars with cents; an amount below one cent is not shown as zero. */
export function money(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? 4 : 2
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd)
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** 1234567 as 1.2 MB, in the reader's locale. */
export function byteSize(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** step
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: byteUnits[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 && value < 100 ? 1 : 0,
  }).format(value)
}

/** Seconds as `3 d 4 h`, `4 h 12 min`, `12 min`, `7 s`, `250 ms`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${Math.ceil(seconds * 1_000)} ms`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return `${Math.floor(seconds)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
