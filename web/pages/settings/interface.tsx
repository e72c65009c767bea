import { Badge } from '@mantine/core'
import { DeleteButton } from '../../parts/confirm.tsx'
import { NotifyButton, notifiedId } from '../../parts/notify.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { SectionForm } from './section-form.tsx'

/** How the UI looks, and the browsers that are notified. */
export const Interface = () => (
  <SectionForm name="interface" title="Interface">
    <ResourceList
      path="/api/notifications/browsers"
      items="browsers"
      title="Notified browsers"
      actions={<NotifyButton />}
      empty="Browsers that you turn notifications on in. They are notified of what waits for you, failures and reminders, also while hearthd is closed there. Your quiet hours apply."
      row={({ id, name, created_at }) => ({
        badges: id === notifiedId() && <Badge variant="default">This browser</Badge>,
        actions: (
          <DeleteButton
            what={name}
            remove={(api) => api.delete('/api/notifications/browsers/{id}', { params: { id } })}
          />
        ),
        children: (
          <Hint>
            Since <Time at={created_at} />
          </Hint>
        ),
      })}
    />
  </SectionForm>
)
