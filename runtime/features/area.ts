import { defineArea } from '../area.ts'

export const featuresArea = defineArea({
  name: 'features',
  work: { 'features.install': async () => (await import('./install.ts')).packInstall },
})
