/** Saves a file through the browser's downloads. A plain link could not carry the credential. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name.replaceAll(/[\\/:*?"<>|]/g, '-')
  link.click()
  // The download reads the URL after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
