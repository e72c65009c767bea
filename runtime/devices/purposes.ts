// What the area seals its credentials for.
export const pushPurpose = 'devices.push'
