import { useParams } from 'wouter'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { Views } from '../../parts/status.tsx'

const loading = <SkeletonRows count={4} />
const HooksView = lazily(() => import('./hooks-view.tsx'), 'HooksView', loading)
const WebhooksView = lazily(() => import('./webhooks-view.tsx'), 'WebhooksView', loading)
const IncomingView = lazily(() => import('./incoming-view.tsx'), 'IncomingView', loading)

const views = [
  { place: 'events', label: 'Hooks', view: HooksView },
  { place: 'outgoing', label: 'Outgoing webhooks', view: WebhooksView },
  { place: 'incoming', label: 'Incoming webhooks', view: IncomingView },
] as const

/** `/hooks`; `/hooks/<view>` is one of the three lists, `/hooks/<view>/<id>` shows one entry with its log. */
export function Hooks() {
  const { view, id } = useParams<{ view?: string; id?: string }>()
  const current = views.find(({ place }) => place === view) ?? views[0]
  return (
    <div className="page">
      <PageHeader
        title="Hooks"
        description="React to events, send them to other systems, and let other systems start work here."
      />
      <Views label="Hook views" base="/hooks" views={views} current={current.place} />
      <current.view id={id} />
    </div>
  )
}
