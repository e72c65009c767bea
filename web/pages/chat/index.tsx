import { PageHeader } from '../../parts/page-header.tsx'

export function Chat() {
  return (
    <div className="page">
      <PageHeader title="Chat" />
    </div>
  )
}
