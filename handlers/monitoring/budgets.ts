import { endpointsOf } from '../../runtime/http/collection-endpoints.ts'
import { Budget, BudgetChange, NewBudget } from '../../runtime/ledger/schema.ts'
import { addBudget, changeBudget, listBudgets, removeBudget, requireBudget } from '../../runtime/monitoring/budgets.ts'

export const { list, create, show, update, remove } = endpointsOf({
  path: '/api/monitoring/budgets',
  items: 'budgets',
  owner: 'shared',
  access: 'admin',
  summaries: {
    list: 'List budgets with their use',
    create: 'Create a budget',
    show: 'Get a budget',
    update: 'Change a budget, or resume a paused one',
    remove: 'Delete a budget',
  },
  New: NewBudget,
  Changes: BudgetChange,
  Row: Budget,
  list: listBudgets,
  add: addBudget,
  require: requireBudget,
  edit: changeBudget,
  remove: removeBudget,
})
