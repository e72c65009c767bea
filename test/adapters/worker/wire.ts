/** JSON that can also hold bytes, as one character each. */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member instanceof Uint8Array ? { $bytes: toText(member) } : member,
  )

export const decode = (text: string): unknown =>
  JSON.parse(text, (_, member: unknown) => {
    const bytes = (member as { $bytes?: string } | null)?.$bytes
    return typeof bytes === 'string' ? Uint8Array.from(bytes, (character) => character.charCodeAt(0)) : member
  })

function toText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
