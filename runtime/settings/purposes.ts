/** Purpose of the sealed credentials. */
export const serverPurpose = (id: string, kind: 'env' | 'headers') => `tool-server:${id}:${kind}`
