import type { Pairing } from '../../../runtime/channels/schema.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { DeleteButton } from '../../parts/confirm.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { pairingStatus } from './labels.ts'

const path = '/api/channels/pairings'

interface PairingsProps {
  title: string
  channel?: string
  status?: Pairing['status']
}

/** People who wrote to a bot. Without a channel, renders nothing if there are none. */
export const Pairings = ({ title, channel, status }: PairingsProps) => (
  <ResourceList
    path={path}
    query={{ channel_id: channel, status }}
    items="pairings"
    title={title}
    hidden={channel === undefined}
    empty="No requests yet. Send the bot a message: it replies with a code, and your request appears here."
    row={(pairing) => ({
      name: pairing.sender_name ?? pairing.sender_id,
      badges: <StatusBadge {...pairingStatus(pairing)} />,
      actions: <Decisions pairing={pairing} />,
      children: (
        <Hint>
          {pairing.sender_id} · {pairing.status === 'pending' && <>code {pairing.code} · </>}asked{' '}
          <Time at={pairing.requested_at} />
        </Hint>
      ),
    })}
  />
)

function Decisions({ pairing: { id, sender_id, sender_name, status, role } }: { pairing: Pairing }) {
  const name = sender_name ?? sender_id
  const params = { id }
  return (
    <>
      {role !== 'owner' && status !== 'denied' && (
        <ActionButton
          aria-label={`This is me: ${name}`}
          run={(api) => api.post(`${path}/{id}/approve`, { params, body: { role: 'owner' } })}
          done={() => announce(`You are paired as ${name}`)}
        >
          This is me
        </ActionButton>
      )}
      {role !== 'guest' && (
        <ActionButton
          aria-label={`Allow as a guest: ${name}`}
          run={(api) => api.post(`${path}/{id}/approve`, { params, body: { role: 'guest' } })}
          done={() => announce(`${name} can now write as a guest`)}
        >
          Allow as a guest
        </ActionButton>
      )}
      {status !== 'denied' && (
        <ActionButton aria-label={`Deny ${name}`} run={(api) => api.post(`${path}/{id}/deny`, { params })}>
          Deny
        </ActionButton>
      )}
      {status !== 'pending' && <DeleteButton what={name} remove={(api) => api.delete(`${path}/{id}`, { params })} />}
    </>
  )
}
