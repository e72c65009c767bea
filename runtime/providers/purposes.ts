// What the area seals its credentials for.
export const keyPurpose = (id: string) => `provider:${id}`
