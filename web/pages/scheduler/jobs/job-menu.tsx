import { lazy, Suspense, useState } from 'react'
import type { Job } from '../../../api/scheduler.ts'
import { MoreButton } from './more-button.tsx'

const OpenJobMenu = lazy(async () => ({ default: (await import('./open-job-menu.tsx')).OpenJobMenu }))

/** A button, until somebody wants what is behind it. */
export function JobMenu({ job }: { job: Job }) {
  const [asked, setAsked] = useState(false)
  const button = (
    <MoreButton name={job.name} aria-haspopup="menu" aria-expanded={false} onClick={() => setAsked(true)} />
  )
  if (!asked) return button
  return (
    <Suspense fallback={button}>
      <OpenJobMenu job={job} />
    </Suspense>
  )
}
