import { PageHeader } from '../../parts/page-header.tsx'

export function Setup() {
  return (
    <div className="page">
      <PageHeader title="Setup" />
    </div>
  )
}
