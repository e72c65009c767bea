import { Grid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { profileQuery } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { locale } from '../../parts/locale.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { useZone } from '../../parts/time.tsx'
import { Approvals } from './approvals.tsx'
import { Composer } from './composer.tsx'
import { Failures } from './failures.tsx'
import { Health } from './health.tsx'
import { NextUp } from './next-up.tsx'
import { Recent } from './recent.tsx'
import { Running } from './running.tsx'
import { Today } from './today.tsx'

/** What is it doing, what does it need from me, what did it cost? */
export function Home() {
  const profile = useQuery(profileQuery(useApi())).data
  const zone = useZone()
  const date = new Intl.DateTimeFormat(locale(), { dateStyle: 'full', timeZone: zone }).format(new Date())
  return (
    <div className="page">
      <PageHeader
        title={profile?.display_name ? `Hello, ${profile.display_name}` : 'Home'}
        description={date}
      />
      <Stack gap="lg">
        <Composer />
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="lg">
              <Approvals />
              <Failures />
              <Running />
              <Recent />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Stack gap="lg">
              <NextUp />
              <Today />
              <Health />
            </Stack>
          </Grid.Col>
        </Grid>
      </Stack>
    </div>
  )
}
