import { Anchor, Text } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { killSwitchQuery } from '../api/monitoring.ts'
import { useApi } from './services.tsx'

/** While the kill switch is on every page says so, for otherwise nothing would explain why nothing answers. */
export function PausedBanner() {
  const paused = useQuery(killSwitchQuery(useApi())).data?.paused
  if (!paused) return null
  return (
    <div className="banner" role="status">
      <IconPlayerPause size={16} aria-hidden />
      <Text size="sm" component="span">
        All model calls are paused.{' '}
        <Anchor component={Link} href="/settings/spending" inherit c="inherit">
          Let them go on
        </Anchor>
      </Text>
    </div>
  )
}
