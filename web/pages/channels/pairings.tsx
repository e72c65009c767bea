import type { Pairing, PeerRole } from '../../../runtime/channels/schema.ts'
import { usePages } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { pairingStatus } from './labels.ts'

const stale = ['/api/channels']

interface PairingsProps {
  title: string
  channel?: string
  status?: Pairing['status']
}

/** People who wrote to a bot. Without a channel, renders nothing if there are none. */
export function Pairings({ title, channel, status }: PairingsProps) {
  const query = usePages('/api/channels/pairings', { query: { channel_id: channel, status } })
  const count = query.data?.pages[0]?.total
  if (channel === undefined && !count) return null
  return (
    <Panel title={title} count={count}>
      <List
        query={query}
        what="People"
        items="pairings"
        empty="No requests yet. Send the bot a message: it replies with a code, and your request appears here."
      >
        {(pairing) => <PairingRow key={pairing.id} pairing={pairing} />}
      </List>
    </Panel>
  )
}

function PairingRow({ pairing }: { pairing: Pairing }) {
  const { id, sender_id, sender_name, status, role, code, requested_at } = pairing
  const name = sender_name ?? sender_id
  const params = { id }
  const owner = useApprove(pairing, 'owner')
  const guest = useApprove(pairing, 'guest')
  const deny = useChange((api) => api.post('/api/channels/pairings/{id}/deny', { params }), { stale })
  const forget = useChange((api) => api.delete('/api/channels/pairings/{id}', { params }), { stale })
  return (
    <Row
      name={name}
      badges={<StatusBadge {...pairingStatus(pairing)} />}
      actions={
        <>
          {role !== 'owner' && status !== 'denied' && (
            <ActionButton run={owner} aria-label={`This is me: ${name}`}>
              This is me
            </ActionButton>
          )}
          {role !== 'guest' && (
            <ActionButton run={guest} aria-label={`Allow as a guest: ${name}`}>
              Allow as a guest
            </ActionButton>
          )}
          {status !== 'denied' && (
            <ActionButton run={deny} aria-label={`Deny ${name}`}>
              Deny
            </ActionButton>
          )}
          {status !== 'pending' && <DeleteButton what={name} remove={forget} />}
        </>
      }
    >
      <Hint>
        {sender_id} · {status === 'pending' && <>code {code} · </>}asked <Time at={requested_at} />
      </Hint>
    </Row>
  )
}

function useApprove({ id, sender_id, sender_name }: Pairing, role: PeerRole) {
  const name = sender_name ?? sender_id
  return useChange(
    (api) => api.post('/api/channels/pairings/{id}/approve', { params: { id }, body: { role } }),
    {
      stale,
      done: () =>
        announce(role === 'owner' ? `You are paired as ${name}` : `${name} can now write as a guest`),
    },
  )
}
