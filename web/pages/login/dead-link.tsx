import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { ApiError, readable } from '../../api/error.ts'
import { FrontPage } from '../../parts/front-page.tsx'

/** What a link shows that does not open anything, whatever the reason. */
export const DeadLink = ({ error }: { error: unknown }) => (
  <FrontPage
    title="This link does not work"
    description={
      error instanceof ApiError && error.status === 404
        ? 'It is incomplete, was used, has expired or was revoked. Ask for a new one.'
        : readable(error)
    }
  >
    <Button component={Link} href="/" variant="default" fullWidth>
      Go to hearthd
    </Button>
  </FrontPage>
)
