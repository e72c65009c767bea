import type { Language } from './language.ts'

export const spanish: Language = {
  code: 'es',
  name: 'Spanish',
  words:
    'resume resúmeme lee yo tú él ella nosotros mi mis tu tus y o es son soy eres el los las un una unos del que qué quién cuál cuándo dónde por cómo con para en sobre puedes puede hacer hoy mañana ayer también muy bien tiempo escribe cuéntame traduce explica poema está hace favor necesito quiero me gusta',
  phrases: [
    ['remind', /^(?:recu[eé]rda(?:me|nos)|av[ií]same),? (?<rest>.+)$/iu],
    ['greet', /^(?:hola|buenos días|buenas(?: (?:tardes|noches))?|qué tal)(?: a todos| amigo)?$/iu],
    ['thanks', /^(?:muchas )?gracias(?: por todo)?$/iu],
    [
      'help',
      /^(?:¿?hablas (?:tú )?español|ayuda|ayúdame|qué (?:puedes|sabes) hacer|en qué (?:me )?puedes ayudar(?:me)?)$/iu,
    ],
    ['time', /^(?:qué hora es|que hora es|dime la hora|la hora)(?: ahora)?(?: en (?<place>.+))?$/iu],
    [
      'date',
      /^(?:qué (?:día|fecha) es(?: hoy)?|a qué (?:día )?estamos(?: hoy)?|cuál es la fecha(?: de hoy)?)$/iu,
    ],
    ['recall', /^(?<query>cómo me llamo|cuál es mi nombre|quién soy)$/iu],
    [
      'recall',
      /^(?:qué (?:sabes|recuerdas) (?:de|sobre|del)|te acuerdas (?:de|del)|recuerdas|qué te (?:dije|he dicho) (?:de|sobre)) (?<query>.+)$/iu,
    ],
    ['recall', /^(?<query>(?:qué|quién|dónde|cuándo|cuál|cómo) .*\b(?:mi|mis|yo|me)\b.*)$/iu],
    [
      'remember',
      /^(?:por favor,? )?(?:recuerda|acuérdate de|no olvides|anota|apunta|guarda|memoriza)[,:]?\s+(?:que\s+)?(?<content>.+)$/iu,
    ],
    ['name', /^(?:me llamo|mi nombre es|llámame) (?<name>\p{L}[\p{L} '-]*)$/iu],
    [
      'remember',
      /^(?<content>(?:(?:a mí )?me (?:gusta|gustan|encanta|encantan)|odio|vivo en|trabajo (?:en|como)|prefiero|hablo|mi \p{L}+ es) .+)$/iu,
    ],
  ],
  reminders: {
    lead: /^(?:de |que )/iu,
    ask: '¿Qué debo recordarte, y cuándo? Por ejemplo: "Recuérdame mañana a las 17:00 llamar a Ada".',
    set: (task, moment) => `El recordatorio está puesto: ${task}, ${moment}.`,
  },
  say: {
    notice:
      'Soy el modelo sin conexión integrado: sigo reglas fijas y uso herramientas, pero no tengo conocimiento del mundo.',
    hello: '¡Hola! ¿Qué puedo hacer?',
    welcome: 'De nada.',
    help: 'En español puedo: recordar ("Recuerda que me gusta el té"), buscar en la memoria ("¿Qué sabes sobre el té?"), decir la hora, calcular y resumir páginas web. En inglés puedo hacer más ("help").',
    limit:
      'Eso no lo entiendo en español: solo conozco unas pocas frases (di "ayuda"). Para lo demás, añade un modelo en Settings → Providers, con una clave o un Ollama local.',
    saved: (content) => `Anotado: ${content}.`,
    met: (name) => `Mucho gusto, ${name}. Recordaré tu nombre.`,
    found: 'Esto es lo que recuerdo:',
    nothing: 'No tengo nada guardado sobre eso.',
    time: (time, date, zone) => `Son las ${time}, ${date} (${zone}).`,
    date: (date, zone) => `Hoy es ${date} (${zone}).`,
    noPlace: (place) => `No conozco la zona horaria de "${place}".`,
    page: (title) => `${title} dice, con sus propias frases:`,
    lacks: (tool) => `Eso no es posible en esta conversación: la herramienta ${tool} no está disponible.`,
    refused: 'No lo has aprobado, así que no lo he hecho.',
    failed: (reason) => `No ha funcionado: ${reason}`,
  },
}
