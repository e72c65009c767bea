import { IconRepeat } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { Loop } from '../../../runtime/loops/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { NewLink } from '../../parts/buttons.tsx'
import { FilteredList } from '../../parts/filtered-list.tsx'
import { GettingStarted } from '../../parts/getting-started.tsx'
import { lazily } from '../../parts/lazily.ts'
import { PageSkeleton } from '../../parts/list.tsx'
import { money } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page.tsx'
import { ProgressRow } from '../../parts/progress-row.tsx'
import { LoopMenu } from './actions.tsx'
import { isEnded, loopStatus, problemOf, usedOf, verdictText } from './labels.ts'

const LoopPage = lazily(() => import('./loop-page.tsx'), 'LoopPage', <PageSkeleton />)
const LoopDrawer = lazily(() => import('./loop-form.tsx'), 'LoopDrawer')

/** `/loops`; `/loops/new` opens the form over the list, `/loops/<id>` is one loop, `/loops/<id>/<view>` one of its views. */
export function Loops() {
  const { id, view } = useParams<{ id?: string; view?: string }>()
  const [, navigate] = useLocation()
  if (id && id !== 'new') return <LoopPage key={id} id={id} view={view} />
  return (
    <div className="page">
      <PageHeader
        title="Loops"
        description="An agent works on a goal again and again until a check says that it is reached."
      >
        <NewLink href="/loops/new">New loop</NewLink>
      </PageHeader>
      <LoopList />
      {id === 'new' && <LoopDrawer loop={null} close={() => navigate('/loops')} />}
    </div>
  )
}

const LoopList = () => (
  <FilteredList path="/api/loops" items="loops" title="Loops" statusOf={loopStatus} none={<Templates />}>
    {(loop) => <LoopRow key={loop.id} loop={loop} />}
  </FilteredList>
)

function LoopRow({ loop }: { loop: Loop }) {
  const { id, name, status, goal, iteration, max_iterations, last_verdict, question } = loop
  const used = usedOf(loop)
  return (
    <ProgressRow
      name={name}
      href={`/loops/${id}`}
      status={loopStatus(status)}
      detail={question?.question ?? (last_verdict ? `Last verdict: ${verdictText(last_verdict)}` : goal)}
      error={status === 'failed' ? problemOf(loop) : null}
      progress={{
        text: iteration === 0 ? `Up to ${max_iterations} iterations` : `Iteration ${iteration} of ${max_iterations}`,
        percent: used,
        color: !isEnded(loop) && used >= 80 ? 'yellow' : loopStatus(status).color,
        label: 'Used limits',
      }}
      cost={money(loop.cost_usd)}
      updated_at={loop.updated_at}
      menu={<LoopMenu loop={loop} />}
    />
  )
}

const steps = [
  ['Set a goal', 'And choose how it is verified: by a model, a check, a URL or you.'],
  ['Set limits', 'Iterations, tokens, money and time. It never exceeds them.'],
  ['Watch and steer', 'Each iteration ends with a verdict; you can redirect the next one.'],
] as const

/** Explains what a loop is, with the templates to start from. */
function Templates() {
  const templates = useEndpoint('/api/loops/templates').data?.templates ?? []
  return (
    <GettingStarted
      what="Loops"
      icon={<IconRepeat />}
      title="No loops yet"
      description="A loop repeats until its goal is verified, and stops by itself when it gets stuck."
      steps={steps}
      examples={templates.map(({ id, name, description }) => ({
        name,
        text: description,
        href: `/loops/new?template=${id}`,
      }))}
    />
  )
}
