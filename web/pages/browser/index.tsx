import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../../api/browser.ts'
import { featuresQuery } from '../../api/features.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import classes from './browser.module.css'
import { CloseButton } from './close-button.tsx'
import { DeskProvider, useDesk } from './desk.tsx'
import { Missing } from './missing.tsx'
import { SidePanels } from './side/panels.tsx'
import { Stage } from './stage.tsx'
import { Start } from './start.tsx'

/** The daemon's own browser, shared with its agents: what it shows at the left, everything about it beside. */
export function BrowserPage() {
  const status = useQuery(statusQuery(useApi()))
  return (
    <div className={`page ${classes.page}`}>
      <Loaded query={status} what="The browser">
        {({ running }) => (
          <DeskProvider>
            <Whole running={running} />
          </DeskProvider>
        )}
      </Loaded>
    </div>
  )
}

function Whole({ running: told }: { running: boolean }) {
  const { live } = useDesk()
  const features = useQuery(featuresQuery(useApi())).data
  const running = live.connected && live.state ? live.state.running : told
  const feature = features?.features.find(({ id }) => id === 'browser')
  const missing = !running && feature !== undefined && feature.status !== 'ok'
  return (
    <>
      <PageHeader
        title="Browser"
        description="The browser of your agents. Watch it, use it, or take it over."
      >
        {running && <CloseButton />}
      </PageHeader>
      {missing ? (
        <Missing feature={feature} />
      ) : (
        <div className={classes.desk}>
          {running ? <Stage /> : <Start />}
          <SidePanels running={running} />
        </div>
      )}
    </>
  )
}
