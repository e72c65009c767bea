// What the area seals its credentials for.
export const serverPurpose = (id: string, kind: 'env' | 'headers') => `tool-server:${id}:${kind}`
