/** Saves a file through the browser's downloads. A plain link could not carry the credential. */
export async function saveFile(name: string, content: Blob | Promise<Response>): Promise<void> {
  const blob = content instanceof Blob ? content : await (await content).blob()
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name.replaceAll(/[\\/:*?"<>|]/g, '-')
  link.click()
  // The download reads the URL after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
