import { useLocation, useSearchParams } from 'wouter'
import type { Project } from '../../../runtime/projects/schema.ts'
import { useApi } from '../../app/services.tsx'
import { announceError } from '../../parts/announce.ts'
import { ResourceDrawer } from '../../parts/resource-form.tsx'
import { TextField } from '../../parts/schema/fields.tsx'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { nameFrom } from '../../parts/text.ts'

interface ProjectDrawerProps {
  /** Null for a new one, which starts with the text in the address. */
  project: Project | null
  close: () => void
}

export function ProjectDrawer({ project, close }: ProjectDrawerProps) {
  const api = useApi()
  const [, navigate] = useLocation()
  const [search] = useSearchParams()
  return (
    <ResourceDrawer
      path="/api/projects"
      noun="project"
      item={project}
      close={close}
      verb="Create and plan"
      start={{ name: '', description: search.get('text') ?? '', strategy: 'performance' }}
      complete={({ name, ...values }) => ({ ...values, name: String(name).trim() || nameOf(values) })}
      saved={async ({ id }, isNew) => {
        if (!isNew) return
        // The project exists now, so a failure is shown on its page, where planning can be tried again.
        const params = { id: String(id) }
        await api.post('/api/projects/{id}/generate-plan', { params }).catch(announceError)
        navigate(`/projects/${id}`)
      }}
      effect={false}
      fields={(values) => ({
        shared_with: false,
        sme_archetype: false,
        description: (props) => <TextField {...props} required />,
        name: { default: nameOf(values) },
        budget: (props) => <SchemaForm {...props} layout={[['project_usd', 'task_usd']]} />,
      })}
      layout={[
        ...['description', 'name', 'strategy', 'decision_mode', 'auto_approve_plan', 'auto_approve_phases'],
        ...['agent_id', 'path', 'budget', 'max_wait_hours', 'use_lessons'],
      ]}
    />
  )
}

const nameOf = ({ description }: { description?: unknown }) => nameFrom(String(description)) || 'Untitled'
