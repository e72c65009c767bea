import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { Budget, BudgetChange, NewBudget } from '../../runtime/ledger/schema.ts'
import {
  addBudget,
  changeBudget,
  listBudgets,
  removeBudget,
  requireBudget,
} from '../../runtime/monitoring/budgets.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/monitoring/budgets',
  owner: 'house',
  summary: 'List budgets with their use',
  query: pageQuery(),
  returns: listOf('budgets', Budget),
  async run({ query: { limit, offset } }, context) {
    const budgets = await listBudgets(context)
    const page = budgets.slice(offset, offset + limit)
    return { budgets: page, total: budgets.length, limit, offset }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/monitoring/budgets',
  owner: 'house',
  summary: 'Create a budget',
  access: 'admin',
  body: NewBudget,
  returns: Budget,
  status: 201,
  async run({ body }, context) {
    return addBudget(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/monitoring/budgets/{id}',
  owner: 'house',
  summary: 'Get a budget',
  returns: Budget,
  async run({ params }, context) {
    return requireBudget(context, params.id)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/monitoring/budgets/{id}',
  owner: 'house',
  summary: 'Change a budget, or resume a paused one',
  access: 'admin',
  body: BudgetChange,
  before: ({ params }, context) => requireBudget(context, params.id),
  returns: Budget,
  async run({ params, body }, context) {
    return changeBudget(context, params.id, body)
  },
})

export const remove = removal({
  path: '/api/monitoring/budgets/{id}',
  owner: 'house',
  summary: 'Delete a budget',
  access: 'admin',
  remove: removeBudget,
})
