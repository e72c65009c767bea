/** The language of dates and numbers: from the interface settings, else the browser's. */
export const locale = (): string | undefined => document.documentElement.dataset.language || undefined
