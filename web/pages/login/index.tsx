import { PageHeader } from '../../parts/page-header.tsx'

export function Login() {
  return (
    <div className="page">
      <PageHeader title="Login" />
    </div>
  )
}
