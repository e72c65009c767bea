import type { Intent } from './schema.ts'

/** A sentence with what it was meant to be. */
export interface Example {
  text: string
  language: string
  intent: Intent
}

/** One list per intent; each line is a language and a sentence. Written for this program. */
const sentences: Record<Intent, string> = {
  chat: `
    en Hi there, how are you doing?
    en Good morning!
    en Thanks a lot, that was great
    en Tell me a joke
    en I had a bad day at work
    en Let's chat a bit
    en What do you think about jazz?
    de Hallo, wie geht es dir?
    de Guten Morgen!
    de Vielen Dank, das war super
    de Erzähl mir einen Witz
    fr Salut, comment ça va ?
    fr Merci beaucoup, c'était parfait
    fr Raconte-moi une blague
    es Hola, ¿cómo estás?
    es Gracias, ha sido perfecto
    es Cuéntame un chiste
    it Ciao, come stai?
    it Grazie, è stato perfetto
    it Raccontami una barzelletta
    pt Olá, como estás?
    pt Obrigado, ficou perfeito
    pt Conta-me uma piada
    ja こんにちは、元気ですか
    ja ありがとう、完璧でした
    ja 冗談を言って
    zh 你好，最近怎么样
    zh 谢谢你，太好了
    zh 给我讲个笑话`,
  question: `
    en What is the capital of Australia?
    en How does a heat pump work?
    en Who wrote Don Quixote?
    en How much protein is in an egg?
    en Can dogs eat chocolate?
    en Explain how tides work
    de Was ist die Hauptstadt von Australien?
    de Wie funktioniert eine Wärmepumpe?
    de Wer hat Don Quijote geschrieben?
    fr Quelle est la capitale de l'Australie ?
    fr Comment fonctionne une pompe à chaleur ?
    fr Qui a écrit Don Quichotte ?
    es ¿Cuál es la capital de Australia?
    es ¿Cómo funciona una bomba de calor?
    es ¿Quién escribió el Quijote?
    it Qual è la capitale dell'Australia?
    it Come funziona una pompa di calore?
    it Chi ha scritto il Don Chisciotte?
    pt Qual é a capital da Austrália?
    pt Como funciona uma bomba de calor?
    pt Quem escreveu o Dom Quixote?
    ja オーストラリアの首都はどこですか
    ja ヒートポンプはどのように動きますか
    ja ドン・キホーテを書いたのは誰ですか
    zh 澳大利亚的首都是哪里
    zh 热泵是怎么工作的
    zh 堂吉诃德是谁写的`,
  task: `
    en Summarise this article in three sentences
    en Translate this paragraph into Spanish
    en Write a polite email to my landlord about the heating
    en Calculate the total of these invoices
    en Rename the files in the folder by date
    en Make a shopping list for pancakes
    de Fasse diesen Artikel in drei Sätzen zusammen
    de Übersetze diesen Absatz ins Spanische
    de Schreibe eine höfliche E-Mail an meinen Vermieter
    de Berechne die Summe dieser Rechnungen
    fr Résume cet article en trois phrases
    fr Traduis ce paragraphe en espagnol
    fr Écris un e-mail poli à mon propriétaire
    es Resume este artículo en tres frases
    es Traduce este párrafo al inglés
    es Escribe un correo educado a mi casero
    it Riassumi questo articolo in tre frasi
    it Traduci questo paragrafo in spagnolo
    it Scrivi un'email gentile al mio padrone di casa
    pt Resume este artigo em três frases
    pt Traduz este parágrafo para espanhol
    pt Escreve um email educado ao meu senhorio
    ja この記事を三文で要約して
    ja この段落をスペイン語に翻訳して
    ja 大家さんに丁寧なメールを書いて
    zh 用三句话总结这篇文章
    zh 把这段话翻译成西班牙语
    zh 给房东写一封礼貌的邮件`,
  project: `
    en Build a website for my bakery
    en Start a project for the kitchen renovation
    en Plan and write a report on the housing market with sources
    en Create a complete marketing campaign for the spring sale
    en Develop an inventory system for our warehouse
    de Baue eine Website für meine Bäckerei
    de Leg ein Projekt für die Küchenrenovierung an
    de Entwickle ein Lagerverwaltungssystem für unser Team
    fr Construis un site web pour ma boulangerie
    fr Lance un projet pour rénover la cuisine
    fr Développe un système de gestion de stock
    es Construye un sitio web para mi panadería
    es Inicia un proyecto para reformar la cocina
    es Desarrolla un sistema de inventario
    it Costruisci un sito web per la mia panetteria
    it Avvia un progetto per ristrutturare la cucina
    it Sviluppa un sistema di inventario
    pt Constrói um site para a minha padaria
    pt Inicia um projeto para renovar a cozinha
    pt Desenvolve um sistema de inventário
    ja パン屋のウェブサイトを作って
    ja キッチンの改装プロジェクトを始めて
    ja 在庫管理システムを開発して
    zh 帮我的面包店建一个网站
    zh 启动厨房装修项目
    zh 开发一个库存管理系统`,
  loop: `
    en Keep working on the tests until they all pass
    en Repeat this until the page loads in under a second
    en Iterate on the design until the reviewer is satisfied
    en Try again and again until it works
    en Keep going until coverage reaches ninety percent
    de Arbeite an den Tests, bis alle bestehen
    de Wiederhole das, bis die Seite in einer Sekunde lädt
    de Mach weiter, bis die Abdeckung neunzig Prozent erreicht
    fr Continue à corriger les tests jusqu'à ce qu'ils passent tous
    fr Répète jusqu'à ce que la page se charge en une seconde
    fr N'arrête pas tant que la couverture est insuffisante
    es Sigue corrigiendo las pruebas hasta que pasen todas
    es Repite hasta que la página cargue en un segundo
    es No pares hasta llegar al noventa por ciento
    it Continua a correggere i test finché non passano tutti
    it Ripeti finché la pagina non si carica in un secondo
    it Non fermarti finché la copertura non arriva al novanta per cento
    pt Continua a corrigir os testes até passarem todos
    pt Repete até a página carregar num segundo
    pt Não pares até chegar aos noventa por cento
    ja すべてのテストが通るまで直し続けて
    ja ページが一秒で読み込まれるまで繰り返して
    ja カバレッジが九割になるまで続けて
    zh 一直修改测试，直到全部通过
    zh 重复这样做，直到页面一秒内加载完
    zh 继续，直到覆盖率达到百分之九十`,
  schedule: `
    en Remind me tomorrow at five to call Ada
    en Every morning at eight send me the weather
    en Set an alarm for half past six
    en Back up the database every Sunday night
    en In two hours ask me about the laundry
    en On the first of each month pay the rent
    de Erinnere mich morgen um fünf daran, Ada anzurufen
    de Schick mir jeden Morgen um acht das Wetter
    de Stell einen Wecker auf halb sieben
    de Sichere die Datenbank jeden Sonntag
    fr Rappelle-moi demain à cinq heures d'appeler Ada
    fr Envoie-moi la météo tous les matins à huit heures
    fr Sauvegarde la base de données chaque dimanche
    es Recuérdame mañana a las cinco llamar a Ada
    es Mándame el tiempo cada mañana a las ocho
    es Haz una copia de seguridad todos los domingos
    it Ricordami domani alle cinque di chiamare Ada
    it Mandami il meteo ogni mattina alle otto
    it Salva il database ogni domenica
    pt Lembra-me amanhã às cinco de ligar à Ada
    pt Envia-me o tempo todas as manhãs às oito
    pt Guarda a base de dados todos os domingos
    ja 明日の五時にエイダに電話するようリマインドして
    ja 毎朝八時に天気を送って
    ja 毎週日曜日にデータベースをバックアップして
    zh 明天五点提醒我给艾达打电话
    zh 每天早上八点给我发天气
    zh 每周日备份数据库`,
  workflow: `
    en When a new email with an invoice arrives, save the attachment
    en Whenever a file is uploaded, convert it to PDF
    en Run the workflow weekly report
    en Create an automation that posts new orders to the chat
    en If the sensor goes offline, open a ticket
    de Wenn eine E-Mail mit einer Rechnung ankommt, speichere den Anhang
    de Immer wenn eine Datei hochgeladen wird, wandle sie in PDF um
    de Führe den Workflow Wochenbericht aus
    fr Quand un e-mail avec une facture arrive, enregistre la pièce jointe
    fr Chaque fois qu'un fichier est envoyé, convertis-le en PDF
    fr Lance le workflow du rapport
    es Cuando llegue un correo con una factura, guarda el adjunto
    es Cada vez que se suba un archivo, conviértelo a PDF
    es Ejecuta el flujo de trabajo del informe
    it Quando arriva un'email con una fattura, salva l'allegato
    it Ogni volta che viene caricato un file, convertilo in PDF
    it Esegui il flusso di lavoro del rapporto
    pt Quando chegar um email com uma fatura, guarda o anexo
    pt Sempre que um ficheiro for carregado, converte-o em PDF
    pt Executa o fluxo de trabalho do relatório
    ja 請求書のメールが届いたら、添付ファイルを保存して
    ja ファイルがアップロードされるたびにPDFに変換して
    ja 週報のワークフローを実行して
    zh 收到带发票的邮件时，保存附件
    zh 每当上传文件，就转换成PDF
    zh 运行周报工作流`,
  memory: `
    en Remember that I like green tea
    en What do you know about my family?
    en Forget what I said about the car
    en Do you remember the name of my dentist?
    en Don't forget that my anniversary is in June
    en My favourite colour is blue
    de Merk dir, dass ich grünen Tee mag
    de Was weißt du über meine Familie?
    de Vergiss, was ich über das Auto gesagt habe
    fr Souviens-toi que j'aime le thé vert
    fr Que sais-tu de ma famille ?
    fr Oublie ce que j'ai dit sur la voiture
    es Recuerda que me gusta el té verde
    es ¿Qué sabes de mi familia?
    es Olvida lo que dije del coche
    it Ricorda che mi piace il tè verde
    it Che cosa sai della mia famiglia?
    it Dimentica quello che ho detto della macchina
    pt Lembra-te de que gosto de chá verde
    pt O que sabes sobre a minha família?
    pt Esquece o que eu disse sobre o carro
    ja 緑茶が好きだと覚えておいて
    ja 私の家族について何を知っていますか
    ja 車について言ったことを忘れて
    zh 记住我喜欢绿茶
    zh 你知道我家人的什么情况
    zh 忘掉我说的关于车的事`,
  device: `
    en Take a photo with my phone
    en Is my laptop online?
    en Lock my Mac
    en Show a notification on the kitchen tablet
    en Where is my phone?
    de Mach ein Foto mit meinem Handy
    de Ist mein Laptop online?
    de Sperre meinen Rechner
    fr Prends une photo avec mon téléphone
    fr Est-ce que mon ordinateur est en ligne ?
    fr Verrouille mon ordinateur
    es Haz una foto con mi móvil
    es ¿Está mi portátil en línea?
    es Bloquea mi ordenador
    it Scatta una foto con il mio telefono
    it Il mio portatile è online?
    it Blocca il mio computer
    pt Tira uma foto com o meu telemóvel
    pt O meu portátil está ligado?
    pt Bloqueia o meu computador
    ja スマホで写真を撮って
    ja 私のノートパソコンはオンラインですか
    ja パソコンをロックして
    zh 用我的手机拍照
    zh 我的笔记本电脑在线吗
    zh 锁定我的电脑`,
  browser: `
    en Open example.com and take a screenshot
    en Go to the library website and find the opening hours
    en Log in to the shop and download my invoices
    en Fill in the form on the page
    en Open https://news.example in the browser
    de Öffne example.com und mach einen Screenshot
    de Geh auf die Website der Bibliothek und such die Öffnungszeiten
    de Fülle das Formular auf der Seite aus
    fr Ouvre example.com et fais une capture d'écran
    fr Va sur le site de la bibliothèque et cherche les horaires
    fr Clique sur le bouton de la page
    es Abre example.com y haz una captura de pantalla
    es Ve a la página web de la biblioteca y busca el horario
    es Haz clic en el botón de la página
    it Apri example.com e fai uno screenshot
    it Vai sul sito della biblioteca e cerca gli orari
    it Clicca sul pulsante della pagina
    pt Abre example.com e faz uma captura de ecrã
    pt Vai ao site da biblioteca e procura os horários
    pt Clica no botão da página
    ja example.com を開いてスクリーンショットを撮って
    ja 図書館のサイトで開館時間を調べて
    ja ページのボタンをクリックして
    zh 打开 example.com 并截图
    zh 去图书馆的网站查开放时间
    zh 点击页面上的按钮`,
  settings: `
    en Switch to the dark theme
    en Change my password
    en Add a model provider
    en Set my time zone to Tokyo
    en Where can I change the default model?
    de Schalte auf das dunkle Design um
    de Ändere mein Passwort
    de Stell meine Zeitzone auf Tokio
    fr Passe au thème sombre
    fr Change mon mot de passe
    fr Règle mon fuseau horaire sur Tokyo
    es Cambia al tema oscuro
    es Cambia mi contraseña
    es Pon mi zona horaria en Tokio
    it Passa al tema scuro
    it Cambia la mia password
    it Imposta il mio fuso orario su Tokyo
    pt Muda para o tema escuro
    pt Altera a minha palavra-passe
    pt Define o meu fuso horário para Tóquio
    ja ダークテーマに切り替えて
    ja パスワードを変更したい
    ja タイムゾーンを東京に設定して
    zh 切换到深色主题
    zh 修改我的密码
    zh 把时区设置为东京`,
}

export const examples: readonly Example[] = Object.entries(sentences).flatMap(([intent, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => ({
      language: line.trim().slice(0, 2),
      text: line.trim().slice(3),
      intent: intent as Intent,
    })),
)
