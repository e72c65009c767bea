/** Purpose of the sealed credentials. */
export const pushPurpose = 'devices.push'
