// What the area seals its credentials for.
export const credentialsPurpose = 'channel credentials'
