import { Button } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import { PageHeader } from '../parts/page-header.tsx'
import { EmptyState } from '../parts/states.tsx'

export function NotFound() {
  const [location] = useLocation()
  return (
    <div className="page">
      <PageHeader title="Page not found" />
      <EmptyState
        icon={<IconMapQuestion />}
        title="There is nothing here"
        action={
          <Button component={Link} href="/">
            Go home
          </Button>
        }
      >
        No page lives at {location}. It may have moved, or the link may be mistyped.
      </EmptyState>
    </div>
  )
}
