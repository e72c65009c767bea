/** Pictures that every browser draws and none runs. */
export const isPicture = (mimeType: string): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(mimeType)

export const isText = (mimeType: string): boolean =>
  mimeType.startsWith('text/') || mimeType === 'application/json'
