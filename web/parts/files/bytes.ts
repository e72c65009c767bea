const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** 1,234,567 bytes as `1.2 MB`, in the reader's own way. */
export function bytes(count: number): string {
  const step = count < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** step
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 && value < 100 ? 1 : 0,
  }).format(value)
}

/** Pictures that every browser draws and none runs. */
export const isPicture = (mimeType: string): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(mimeType)

export const isText = (mimeType: string): boolean =>
  mimeType.startsWith('text/') || mimeType === 'application/json'
