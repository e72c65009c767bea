import { PageHeader } from '../../parts/page-header.tsx'

export function Settings() {
  return (
    <div className="page">
      <PageHeader title="Settings" />
    </div>
  )
}
