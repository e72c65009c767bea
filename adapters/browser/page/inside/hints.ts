// Runs inside a page; see kinds.ts.

/** For what has no words at all: what tells it from its neighbours. */
function hintLabel(element: Element): string {
  const own = [
    element.getAttribute('data-testid') ?? '',
    element.id && `#${element.id}`,
    ...tellingClasses(element).map((name) => `.${name}`),
  ]
  const { left, top, width, height } = element.getBoundingClientRect()
  const fill =
    element instanceof SVGElement ? getComputedStyle(element).fill : getComputedStyle(element).backgroundColor
  const plain =
    /^(rgba\(0, 0, 0, 0\)|none)$/.test(fill) || /^(input|select|textarea|button)$/.test(element.localName)
  const colour = plain ? '' : fill.replace(/\s/g, '')
  const place = `at ${Math.round(left)},${Math.round(top)} size ${Math.round(width)}x${Math.round(height)}`
  return [...own, colour, place].filter((part) => part !== '').join(' ')
}

/** Names of classes: first what no neighbour has, then those of the icon in it, then what all of them have. */
function tellingClasses(element: Element): string[] {
  const own = [...element.classList]
  const icons = element.firstElementChild ? iconNames(element) : []
  if (own.length < 2 && icons.length === 0) return own
  const around = classesAround(element)
  const apart = own.filter((name) => !around.includes(` ${name} `))
  const shared = own.filter((name) => !apart.includes(name))
  const names = [...apart.slice(0, 3), ...icons, ...shared]
  return [...new Set(names)].slice(0, Math.max(3, Math.min(apart.length, 3) + 2))
}

/** Of the next few on each side: of thousands in a grid not all can be asked for each. */
function classesAround(element: Element): string {
  let around = ' '
  let { previousElementSibling: before, nextElementSibling: after } = element
  for (let left = 4; left > 0 && (before || after); left -= 1) {
    if (before) around += `${before.getAttribute('class') ?? ''} `
    if (after) around += `${after.getAttribute('class') ?? ''} `
    before = before?.previousElementSibling ?? null
    after = after?.nextElementSibling ?? null
  }
  return around.replace(/\s/g, ' ')
}

/** How the icon in an element is called, the most telling last in its classes, or the drawing that it uses. */
function iconNames(element: Element): string[] {
  const icon = element.querySelector('i[class], svg[class], span[class]')
  const use = element.querySelector('use')
  const drawing = use?.getAttribute('href') ?? use?.getAttribute('xlink:href') ?? ''
  const named = drawing.replace(/^.*#/, '').slice(0, 30)
  return [...(named ? [named] : []), ...[...(icon?.classList ?? [])].reverse().slice(0, 2)]
}

const parts = [hintLabel, tellingClasses, classesAround, iconNames]

/** As text, for a page. */
export const hintsSource = parts.map(String).join('\n')
