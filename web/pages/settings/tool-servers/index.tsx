import { Button, Group } from '@mantine/core'
import { IconBooks, IconPlug, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { toolServersQuery } from '../../../api/tool-servers.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { ServerRow } from './server-row.tsx'

const ServerDrawer = lazy(async () => ({ default: (await import('./server-drawer.tsx')).ServerDrawer }))
const Catalog = lazy(async () => ({ default: (await import('./catalog.tsx')).Catalog }))

/** An id, `new` or `catalog`: what the drawer shows. */
type Opened = string | null

export function ToolServers() {
  const query = useQuery(toolServersQuery(useApi()))
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const server = query.data?.servers.find(({ id }) => id === opened) ?? null
  const add = (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconBooks size={14} />}
        onClick={() => setOpened('catalog')}
      >
        Catalog
      </Button>
      <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened('new')}>
        Add a server
      </Button>
    </Group>
  )
  return (
    <Panel title="Tool servers" count={query.data?.total} action={add}>
      <Loaded query={query} what="Tool servers" skeleton={<SkeletonRows count={3} height={72} />}>
        {({ servers }) =>
          servers.length === 0 ? (
            <EmptyState icon={<IconPlug />} title="No tool servers yet">
              Take one from the catalog, or add any program or address that speaks the Model Context Protocol.
            </EmptyState>
          ) : (
            servers.map((one) => <ServerRow key={one.id} server={one} edit={() => setOpened(one.id)} />)
          )
        }
      </Loaded>
      <Suspense>
        {opened === 'catalog' && <Catalog close={close} />}
        {(opened === 'new' || server) && <ServerDrawer server={server} close={close} />}
      </Suspense>
    </Panel>
  )
}
