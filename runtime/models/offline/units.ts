export interface Unit {
  /** How it is written in an answer. */
  symbol: string
  dimension: string
  /** Base units in one of it: metre, gram, litre, second, byte, m/s, m², joule. */
  factor: number
  /** Added before the factor applies; only temperatures have one. */
  offset: number
}

/** dimension → lines of: factor, symbol, other names. International yard and pound (1959), US customary volumes. */
const TABLE: Record<string, string> = {
  length: `
    1 m metre meter | 0.01 cm centimetre centimeter | 0.001 mm millimetre millimeter | 1000 km kilometre kilometer kilo
    1e-6 µm um micrometre micrometer micron | 1e-9 nm nanometre nanometer | 0.0254 in inch inches | 0.3048 ft foot feet
    0.9144 yd yard | 1609.344 mi mile | 1852 nmi nautical_mile | 299792458 light-second
    9460730472580800 ly light-year light_year | 149597870700 au`,
  mass: `
    1 g gram gramme | 1000 kg kilogram kilo | 0.001 mg milligram | 1e-6 µg ug microgram | 1e6 t tonne ton metric_ton
    453.59237 lb lbs pound | 28.349523125 oz ounce | 6350.29318 st stone`,
  volume: `
    1 l litre liter | 0.001 ml millilitre milliliter | 0.01 cl centilitre centiliter | 0.1 dl decilitre deciliter
    1000 m³ m3 cubic_metre cubic_meter | 0.001 cm³ cm3 cc cubic_centimetre cubic_centimeter
    3.785411784 gal gallon | 0.946352946 qt quart | 0.473176473 pt pint | 0.2365882365 cup
    0.0295735295625 fl_oz fluid_ounce | 0.01478676478125 tbsp tablespoon | 0.00492892159375 tsp teaspoon`,
  time: `
    1 s sec second | 60 min minute | 3600 h hr hour | 86400 day d | 604800 week wk | 0.001 ms millisecond
    31557600 year yr | 2629800 month | 1e-6 µs us microsecond | 1e-9 ns nanosecond`,
  data: `
    1 B byte | 1000 kB KB kb kilobyte | 1e6 MB mb megabyte | 1e9 GB gb gigabyte | 1e12 TB tb terabyte | 1e15 PB petabyte
    1024 KiB kib kibibyte | 1048576 MiB mib mebibyte | 1073741824 GiB gib gibibyte | 1099511627776 TiB tib tebibyte
    0.125 bit | 125 kbit kilobit | 125000 Mbit mbit megabit | 125000000 Gbit gbit gigabit`,
  speed: `
    1 m/s mps metres_per_second meters_per_second | 0.2777777777777778 km/h kmh kph kilometres_per_hour kilometers_per_hour
    0.44704 mph miles_per_hour | 0.5144444444444445 kn knot kt | 0.3048 ft/s`,
  area: `
    1 m² m2 sqm square_metre square_meter | 1e6 km² km2 square_kilometre square_kilometer | 10000 ha hectare
    4046.8564224 acre | 0.09290304 ft² ft2 sqft square_foot square_feet | 0.0001 cm² cm2 | 2589988.110336 mi² square_mile`,
  energy:
    '1 J joule | 1000 kJ kilojoule | 4.184 cal calorie | 4184 kcal kilocalorie | 3600 Wh watt_hour | 3.6e6 kWh kilowatt_hour',
  temperature: `
    1+273.15 °C c °c celsius centigrade degrees_celsius degrees_c degree_celsius
    0.5555555555555556+459.67 °F f °f fahrenheit degrees_fahrenheit degrees_f degree_fahrenheit | 1 K k kelvin kelvins`,
}

const UNITS = new Map(
  Object.entries(TABLE)
    .flatMap(([dimension, table]) =>
      table
        .split(/[|\n]/)
        .flatMap((line): [string, Unit][] => {
          const [scale = '', symbol = '', ...names] = line.trim().split(/\s+/)
          const [factor, offset = 0] = /^[\d.]+\+/.test(scale) ? scale.split('+') : [scale]
          const unit = {
            symbol: symbol.replace('_', ' '),
            dimension,
            factor: Number(factor),
            offset: Number(offset),
          }
          return scale === '' ? [] : [symbol, ...names].map((name) => [name, unit])
        })
        .reverse(),
    )
    .reverse(),
)

/** Finds a unit by symbol, name or plural: "MB", "feet", "fl oz". */
export function findUnit(name: string): Unit | undefined {
  const key = name.trim().replace(/\s+/g, '_').replace(/\.$/, '')
  const small = key.toLowerCase()
  const spellings = [key, small, small.replace(/e?s$/, ''), small.replace(/s$/, '')]
  return spellings.map((spelling) => UNITS.get(spelling)).find(Boolean)
}
