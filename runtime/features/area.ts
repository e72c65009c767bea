import { defineArea } from '../area.ts'

export const featuresArea = defineArea({
  name: 'features',
  events: async () => (await import('./events.ts')).featuresEvents,
  shared_events: ['feature.installed', 'feature.job.updated'],
  work: { 'features.install': async () => (await import('./install.ts')).packInstall },
})
