// German translations. The keys are the English texts. `said` and `counted` contain texts of the pages. `served`
// contains texts that the server sends. `mailed` contains texts of mails and of the page that a mailed link opens.
// Glossary: benefit = Vorteil, partner benefits = Partnervorteile, coupon = Gutschein, (coupon) code = Code, redeem =
// einlösen, tool = Tool, magic link = Anmeldelink, log in, sign in = anmelden, log out = abmelden, admin = Verwaltung
// (the place), Administrator (the person), dashboard = Übersicht, user = Nutzer, product = Produkt, bulk upload =
// Sammel-Upload, assigned = vergeben, available = frei, stock = Bestand, issue a code = einen Code ausgeben, access =
// Zugang (to tools), Zugriff.
// Address people as "Sie". Keep texts short and plain. Use the active voice if somebody acts.
import type { Catalogue, Forms } from './catalogue.ts';
import { readServedFrom } from './served.ts';

export const said: Record<string, string> = {
  // Texts on every page
  'Skip to content': 'Zum Inhalt springen',
  'Loading...': 'Wird geladen...',
  Login: 'Anmelden',
  Logout: 'Abmelden',
  Social: 'Soziale Medien',
  Legal: 'Rechtliches',
  Terms: 'Nutzungsbedingungen',
  Privacy: 'Datenschutz',
  'Refund policy': 'Erstattungen',
  '(opens in a new tab)': '(öffnet einen neuen Tab)',
  Close: 'Schließen',
  'Notifications ({hotkey})': 'Mitteilungen ({hotkey})',
  Error: 'Fehler',
  'Back to Home': 'Zur Startseite',
  'Try again': 'Erneut versuchen',
  'Please check your connection and try again.':
    'Bitte prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  'This did not load': 'Das konnte nicht geladen werden',
  'This page did not load': 'Diese Seite konnte nicht geladen werden',
  'The connection may have been lost, or the portal was updated.':
    'Vielleicht ist die Verbindung abgebrochen oder das Portal wurde aktualisiert.',
  Reload: 'Neu laden',
  'Something went wrong on this page. Please reload it.':
    'Auf dieser Seite ist etwas schiefgegangen. Bitte laden Sie sie neu.',
  'Something went wrong': 'Etwas ist schiefgegangen',
  'This page has a fault. Loading it anew may help.':
    'Diese Seite hat einen Fehler. Vielleicht hilft es, sie neu zu laden.',
  'Page not found': 'Seite nicht gefunden',
  '404 Page Not Found': '404 Seite nicht gefunden',
  'Did you forget to add the page to the router?': 'Wurde vergessen, die Seite im Router einzutragen?',

  // Home page
  'Partner benefits': 'Partnervorteile',
  'You can read this page without JavaScript. To sign in and to redeem a code, please turn it on.':
    'Sie können diese Seite ohne JavaScript lesen. Um sich anzumelden und einen Code einzulösen, schalten Sie es bitte ein.',
  'Your course comes with benefits.': 'Ihr Kurs bringt Vorteile mit.',
  'Partner benefits are part of your programme. Sign in, pick a tool, and take one single-use code to the partner’s site.':
    'Partnervorteile gehören zu Ihrem Programm. Melden Sie sich an, wählen Sie ein Tool und lösen Sie Ihren persönlichen Code auf der Seite des Partners ein.',
  'Login to redeem your coupons': 'Zum Einlösen anmelden',
  'How it works': 'So funktioniert es',
  'Log in': 'Anmelden',
  'Use the same email you registered with. We match it to your course.':
    'Verwenden Sie die E-Mail-Adresse, mit der Sie sich registriert haben. Wir ordnen sie Ihrem Kurs zu.',
  'Browse offers and redeem': 'Angebot wählen und einlösen',
  'See every tool you are entitled to and redeem a code for each one.':
    'Sehen Sie alle Tools, die Ihnen zustehen, und lösen Sie für jedes einen Code ein.',
  Activate: 'Freischalten',
  'Follow the partner’s instructions on their site. Your access starts there.':
    'Folgen Sie der Anleitung auf der Seite des Partners. Dort beginnt Ihr Zugang.',
  'Your Partner Benefits': 'Ihre Partnervorteile',
  'Loading your benefits': 'Ihre Vorteile werden geladen',
  'We could not load your benefits.': 'Ihre Vorteile konnten nicht geladen werden.',
  'Code issued {day}': 'Code vom {day}',
  'Sold out': 'Vergriffen',
  'From {day}': 'Ab {day}',
  'Use by {day}': 'Gültig bis {day}',
  'Expired {day}': 'Abgelaufen am {day}',
  Paused: 'Pausiert',
  Withdrawn: 'Zurückgezogen',
  'Redeem Now': 'Jetzt einlösen',
  'See Details': 'Details ansehen',
  'Sorry. You do not have access to any tools. Please reach out to your cohort manager':
    'Sie haben leider noch keinen Zugang zu Tools. Bitte wenden Sie sich an Ihre Kursleitung.',
  'You do not have access to any tools yet': 'Sie haben noch keinen Zugang zu Tools',
  'Tool access for the accelerator opens after your onboarding call.':
    'Im Accelerator erhalten Sie den Zugang nach Ihrem Einführungsgespräch.',
  'Book an Onboarding Call': 'Einführungsgespräch buchen',
  'No tools on this account yet': 'Dieses Konto hat noch keine Tools',
  'If you expected to see tools here, write to us at {email} from the email you used at purchase.':
    'Fehlt hier etwas? Schreiben Sie uns an {email}, am besten von der Adresse, die Sie beim Kauf angegeben haben.',
  'Write to support': 'Dem Support schreiben',

  // Sign-in dialog and sign-in pages
  'Sign In to Redeem': 'Anmelden und einlösen',
  'Use the email you gave {provider} at purchase.':
    'Verwenden Sie die E-Mail-Adresse, die Sie beim Kauf bei {provider} angegeben haben.',
  'Continue with Google': 'Weiter mit Google',
  Or: 'Oder',
  OR: 'ODER',
  Email: 'E-Mail',
  'Your {provider} email': 'Ihre E-Mail-Adresse bei {provider}',
  'Send Magic Link': 'Anmeldelink senden',
  'Sending...': 'Wird gesendet...',
  'We’ll email you a secure login link. No password needed.':
    'Wir schicken Ihnen einen sicheren Anmeldelink. Ein Passwort brauchen Sie nicht.',
  'Please enter your email address': 'Bitte geben Sie Ihre E-Mail-Adresse ein',
  'Please check your email and try again': 'Bitte prüfen Sie Ihre E-Mail-Adresse und versuchen Sie es erneut',
  'Could not initiate Google sign-in. Please try again.':
    'Die Anmeldung mit Google ließ sich nicht starten. Bitte versuchen Sie es erneut.',
  'Magic Link Sent!': 'Anmeldelink gesendet!',
  'We sent a sign-in link to {email}. Click the link in that email to finish signing in.':
    'Wir haben einen Anmeldelink an {email} geschickt. Klicken Sie in der E-Mail auf den Link, dann sind Sie angemeldet.',
  'Or enter the code from the email': 'Oder Code aus der E-Mail eingeben',
  'Sign in': 'Anmelden',
  'Signing in...': 'Anmeldung läuft...',
  'Please enter the six digits from the email': 'Bitte geben Sie die sechs Ziffern aus der E-Mail ein',
  'This code is wrong or has expired.': 'Dieser Code ist falsch oder abgelaufen.',
  'We could not check the code. Please try again.':
    'Der Code konnte nicht geprüft werden. Bitte versuchen Sie es erneut.',
  'You were signed out. {login} to go on where you were.':
    'Sie wurden abgemeldet. {login}, um hier weiterzumachen.',
  'Try with a different email': 'Andere E-Mail-Adresse verwenden',
  'Signing you in': 'Sie werden angemeldet',
  'We could not load your account.': 'Ihr Konto konnte nicht geladen werden.',
  'Authentication Error': 'Fehler bei der Anmeldung',
  'The sign-in did not succeed. Please try again.':
    'Die Anmeldung ist nicht gelungen. Bitte versuchen Sie es erneut.',
  'The sign-in did not succeed. Please request a new link.':
    'Die Anmeldung ist nicht gelungen. Bitte fordern Sie einen neuen Link an.',
  'This sign-in link is no longer valid. Please request a new one.':
    'Dieser Anmeldelink ist nicht mehr gültig. Bitte fordern Sie einen neuen an.',
  'Checking your access': 'Ihr Zugriff wird geprüft',
  'Checking your access...': 'Ihr Zugriff wird geprüft...',
  'Failed to retrieve user information': 'Ihre Nutzerdaten konnten nicht abgerufen werden',
  Welcome: 'Willkommen',
  'You have successfully logged in as administrator': 'Sie sind als Administrator angemeldet',
  'Signed in as {email}. Wrong account?': 'Angemeldet als {email}. Falsches Konto?',
  'Use another address': 'Andere Adresse verwenden',
  'Sign in as another': 'Mit anderem Konto anmelden',

  // Sign-in page of administrators
  'Admin sign-in': 'Anmeldung zur Verwaltung',
  'Access is restricted to admin users only.': 'Nur Administratoren haben Zugriff.',
  'Checking authentication status...': 'Ihre Anmeldung wird geprüft...',
  'Initiating login': 'Anmeldung beginnt',
  'Redirecting to Google authentication...': 'Sie werden zur Anmeldung bei Google weitergeleitet...',
  'Login Failed': 'Anmeldung fehlgeschlagen',
  'Failed to login with Google': 'Die Anmeldung mit Google ist fehlgeschlagen',
  'Failed to send magic link': 'Der Anmeldelink konnte nicht gesendet werden',
  'Magic Link Sent': 'Anmeldelink gesendet',
  'A magic link has been sent to your email. Please check your inbox and click the link to login.':
    'Wir haben Ihnen einen Anmeldelink geschickt. Bitte prüfen Sie Ihr Postfach und klicken Sie auf den Link.',
  'You were signed out. Sign in again and you are back on {page}.':
    'Sie wurden abgemeldet. Melden Sie sich wieder an, und Sie sind zurück auf „{page}“.',
  'You were signed out. Sign in again and you are back on {page}; what you typed is kept.':
    'Sie wurden abgemeldet. Melden Sie sich wieder an, und Sie sind zurück auf „{page}“; Ihre Eingaben bleiben erhalten.',
  'Check Your Email': 'Prüfen Sie Ihr Postfach',
  'We sent a magic link to {email}. Click the link to login.':
    'Wir haben einen Anmeldelink an {email} geschickt. Klicken Sie auf den Link, um sich anzumelden.',
  'Use a different email': 'Andere E-Mail-Adresse',
  'Resend magic link': 'Link erneut senden',
  'Access restricted': 'Zugriff beschränkt',
  'Admins only': 'Nur für Administratoren',
  'Sorry, this space is for admins only. Seems like you do not have access.':
    'Dieser Bereich ist leider nur für Administratoren. Sie haben offenbar keinen Zugriff.',
  'We could not check your access.': 'Ihr Zugriff konnte nicht geprüft werden.',
  'The portal did not answer. Nothing about your account has changed.':
    'Das Portal hat nicht geantwortet. An Ihrem Konto hat sich nichts geändert.',

  // Page of a product
  Product: 'Produkt',
  'Loading product details...': 'Produkt wird geladen...',
  'We could not load this product.': 'Dieses Produkt konnte nicht geladen werden.',
  'Product Not Found': 'Produkt nicht gefunden',
  'The product does not exist or was removed.': 'Das Produkt gibt es nicht oder nicht mehr.',
  'Redirecting to home page...': 'Sie werden zur Startseite weitergeleitet...',
  'Your coupon': 'Ihr Gutschein',
  'Coupon code': 'Gutscheincode',
  'Single use': 'Einmal einlösbar',
  'One code, reserved for you. It appears here when you redeem.':
    'Ein Code, nur für Sie. Er erscheint hier, sobald Sie einlösen.',
  'Reserving a code for you. This takes a moment.': 'Ein Code wird für Sie reserviert. Einen Moment, bitte.',
  'Issued to': 'Ausgegeben an',
  'Your coupon code is ready': 'Ihr Gutscheincode ist da',
  'Your {product} coupon': 'Ihr Gutschein für {product}',
  Copy: 'Kopieren',
  Copied: 'Kopiert',
  'Success!': 'Geschafft!',
  'Coupon code copied to clipboard': 'Gutscheincode in die Zwischenablage kopiert',
  'Code copied!': 'Code kopiert!',
  'Failed to copy': 'Kopieren fehlgeschlagen',
  "This code can only be used once. Visit the provider's website to redeem your offer.":
    'Dieser Code gilt nur einmal. Lösen Sie ihn beim Anbieter ein.',
  'View code': 'Code anzeigen',
  'The last day of this code was {day}.': 'Der letzte Tag dieses Codes war der {day}.',
  'Your code was replaced on {day}.': 'Ihr Code wurde am {day} ersetzt.',
  'Not open yet': 'Noch nicht geöffnet',
  'Redeeming opens on {day}.': 'Sie können ab dem {day} einlösen.',
  'Not yet yours': 'Noch nicht freigeschaltet',
  'Your access to this benefit begins on {day}.': 'Ihr Zugang zu diesem Vorteil beginnt am {day}.',
  'This benefit is paused for the moment. Please try again later.':
    'Dieser Vorteil ist gerade pausiert. Bitte versuchen Sie es später erneut.',
  'This offer has ended': 'Dieses Angebot ist beendet',
  'Codes of this benefit are no longer handed out.': 'Für diesen Vorteil werden keine Codes mehr ausgegeben.',
  'Your access has ended': 'Ihr Zugang ist beendet',
  'Your access to this benefit ended on {day}. Please write to us at {email}':
    'Ihr Zugang zu diesem Vorteil endete am {day}. Bitte schreiben Sie uns an {email}',
  'Code withdrawn': 'Code zurückgezogen',
  'Your code of this benefit was withdrawn. Please write to us at {email}':
    'Ihr Code dieses Vorteils wurde zurückgezogen. Bitte schreiben Sie uns an {email}',
  'Visit Site To Redeem': 'Zur Seite des Anbieters',
  'How To Redeem Your Offer': 'So lösen Sie Ihr Angebot ein',
  'Login & Verify': 'Anmelden und bestätigen',
  'Sign in with the email you used at purchase so we can check your access.':
    'Melden Sie sich mit der E-Mail-Adresse an, die Sie beim Kauf angegeben haben. So können wir Ihren Zugang prüfen.',
  'Get Your Code': 'Code holen',
  'Press Redeem Now. Your code appears on the ticket above; copy it.':
    'Drücken Sie auf „Jetzt einlösen“. Ihr Code erscheint oben auf dem Gutschein; kopieren Sie ihn.',
  'Activate Your Access': 'Zugang freischalten',
  'Open the partner’s site and enter the code there. It works once.':
    'Öffnen Sie die Seite des Partners und geben Sie dort den Code ein. Er gilt nur einmal.',
  'Product information not available': 'Zu diesem Produkt fehlen Angaben',
  'Sorry, access is restricted!': 'Kein Zugang zu diesem Angebot',
  'Oops! Seems like you do not have access! Please write to us at {email} if you think this is an error.':
    'Sie haben offenbar keinen Zugang. Wenn das ein Irrtum ist, schreiben Sie uns bitte an {email}.',
  'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.':
    'Diese E-Mail-Adresse ist bei uns nicht registriert. Bitte melden Sie sich mit der Adresse an, die Sie beim Kauf angegeben haben.',
  'We apologise, there seems to be an error. Please write to us at {email}':
    'Leider ist ein Fehler aufgetreten. Bitte schreiben Sie uns an {email}',
  'We apologise, there seems to be an error. Please try again in a moment.':
    'Leider ist ein Fehler aufgetreten. Bitte versuchen Sie es gleich noch einmal.',
  'Too many requests': 'Zu viele Anfragen',
  'Please wait a moment and try again.': 'Bitte warten Sie einen Moment und versuchen Sie es erneut.',

  // Administrators' pages: texts on every page
  Admin: 'Verwaltung',
  Dashboard: 'Übersicht',
  Products: 'Produkte',
  Users: 'Nutzer',
  Coupons: 'Gutscheine',
  'Back to Website': 'Zur Website',
  'Checking access...': 'Ihr Zugriff wird geprüft...',
  Success: 'Erledigt',
  Warning: 'Achtung',
  'Missing required field': 'Pflichtfeld fehlt',
  'Missing required fields': 'Pflichtfelder fehlen',
  'Please fill in all required fields': 'Bitte füllen Sie alle Pflichtfelder aus',
  'Saving...': 'Wird gespeichert...',
  Clear: 'Leeren',
  'What you typed before you were signed out is here again. It was not saved yet.':
    'Was Sie eingegeben haben, bevor Sie abgemeldet wurden, ist wieder da. Es ist noch nicht gespeichert.',
  optional: 'optional',
  Find: 'Suchen',
  'Find in {list}': 'In „{list}“ suchen',
  'Nothing to choose from.': 'Es gibt nichts zur Auswahl.',
  '{count} left': 'noch {count}',
  'shared code': 'gemeinsamer Code',

  // Administrators' pages: lists
  'As of {time}': 'Stand {time}',
  Refresh: 'Aktualisieren',
  All: 'Alle',
  Previous: 'Zurück',
  Next: 'Weiter',
  '{from}–{to} of {total}': '{from}–{to} von {total}',
  '{from}–{to} of more than {total}': '{from}–{to} von mehr als {total}',
  'Search products': 'Produkte suchen',
  'Name or URL': 'Name oder URL',
  'Loading products...': 'Produkte werden geladen...',
  'We could not load the products.': 'Die Produkte konnten nicht geladen werden.',
  'No products found.': 'Noch keine Produkte.',
  'No products found. Create your first product above.': 'Noch keine Produkte. Legen Sie oben das erste an.',
  'No products match.': 'Keine passenden Produkte.',
  'There are no products on this page.': 'Auf dieser Seite gibt es keine Produkte.',
  'Show all products': 'Alle Produkte anzeigen',
  'Search users': 'Nutzer suchen',
  'Start of an email or name': 'Anfang von E-Mail oder Name',
  'Loading users...': 'Nutzer werden geladen...',
  'We could not load the users.': 'Die Nutzer konnten nicht geladen werden.',
  'No users found.': 'Noch keine Nutzer.',
  'No users found. Create your first user above.': 'Noch keine Nutzer. Legen Sie oben den ersten an.',
  'No users match.': 'Keine passenden Nutzer.',
  'There are no users on this page.': 'Auf dieser Seite gibt es keine Nutzer.',
  'Show all users': 'Alle Nutzer anzeigen',
  'Search coupons': 'Gutscheine suchen',
  'Filter by whole code, product or email': 'Ganzer Code, Produkt oder E-Mail',
  'Code ending in {hint}': 'Code mit dem Ende {hint}',
  'Hidden code': 'Verborgener Code',
  'Show the code ending in {hint}': 'Anzeigen: Code mit dem Ende {hint}',
  'Show the hidden code': 'Anzeigen: verborgener Code',
  'Failed to show the code': 'Der Code konnte nicht angezeigt werden',
  'You showed 30 codes in the last 10 minutes. Please wait {minutes} min. The owners were told by mail.':
    'Sie haben sich in den letzten 10 Minuten 30 Codes anzeigen lassen. Bitte warten Sie {minutes} Min. Die Eigentümer wurden per E-Mail informiert.',
  'Start of a code or email': 'Anfang von Code oder E-Mail',
  'Loading coupons...': 'Gutscheine werden geladen...',
  'We could not load the coupons.': 'Die Gutscheine konnten nicht geladen werden.',
  'No coupons found.': 'Noch keine Gutscheine.',
  'No coupons found. Create your first coupon above.': 'Noch keine Gutscheine. Legen Sie oben den ersten an.',
  'No coupons match.': 'Keine passenden Gutscheine.',
  'There are no coupons on this page.': 'Auf dieser Seite gibt es keine Gutscheine.',
  'Show all coupons': 'Alle Gutscheine anzeigen',

  // Administrators' pages: dashboard
  '{count} with a shared code': '{count} mit gemeinsamem Code',
  'learners and administrators': 'Lernende und Administratoren',
  '{available} available, {assigned} assigned': '{available} frei, {assigned} vergeben',
  Figures: 'Zahlen',
  'We could not load the figures.': 'Die Zahlen konnten nicht geladen werden.',
  Redemptions: 'Einlösungen',
  'Redemptions per day': 'Einlösungen pro Tag',
  'The last 30 days': 'Die letzten 30 Tage',
  '{total} in the last {days} days': '{total} in den letzten {days} Tagen',
  'View as table': 'Als Tabelle anzeigen',
  Day: 'Tag',
  'Redemptions per day, {first} to {last}. {total} in total.':
    'Einlösungen pro Tag, {first} bis {last}. Insgesamt {total}.',
  'Redemptions per day, {first} to {last}. {total} in total, highest {count} on {day}.':
    'Einlösungen pro Tag, {first} bis {last}. Insgesamt {total}, die meisten am {day}: {count}.',
  'Nothing here for your role.': 'Für Ihre Rolle gibt es hier nichts.',
  'Stock left': 'Bestand',
  'Unassigned codes per product, scarcest first': 'Freie Codes je Produkt, die knappsten zuerst',
  'There are no products yet.': 'Es gibt noch keine Produkte.',
  'Codes left per product': 'Freie Codes je Produkt',
  'Codes left': 'Freie Codes',
  'Share left': 'Freier Anteil',
  'Show all {count} products': 'Alle {count} Produkte anzeigen',
  '{left} of {total}': '{left} von {total}',
  '{product}: codes left': '{product}: freie Codes',
  'None left': 'Keine mehr',
  Low: 'Knapp',
  'Shared code': 'Gemeinsamer Code',

  // Administrators' pages: imports and failed jobs
  'Failed jobs': 'Fehlgeschlagene Aufgaben',
  'The portal tried these again and again, and stopped.':
    'Das Portal hat diese Aufgaben immer wieder versucht und dann aufgegeben.',
  'Failed to try again': 'Erneuter Versuch fehlgeschlagen',
  'since {time}': 'seit {time}',
  'today, {time}': 'heute, {time}',
  'Try again: {what}': 'Erneut versuchen: {what}',
  'Trying...': 'Wird versucht...',
  'Upload of {file}': 'Upload von {file}',
  'Notice to {email}': 'Hinweis an {email}',
  'Invitation of {email}': 'Einladung an {email}',
  'Stock mail to {email}': 'Bestandsmail an {email}',
  'Adding up the figures': 'Zusammenzählen der Zahlen',
  'Looking for products that run out of codes': 'Suche nach Produkten, deren Codes ausgehen',
  'Marking codes whose last day is over': 'Markieren von Codes, deren letzter Tag vorbei ist',
  'Taking over what the version before left behind': 'Übernehmen, was die vorige Version liegen ließ',
  'Deleting expired rows': 'Löschen abgelaufener Zeilen',
  'Import Failed': 'Import fehlgeschlagen',
  'Import Cancelled': 'Import abgebrochen',
  'Rows that were imported stay.': 'Importierte Zeilen bleiben erhalten.',
  'Cancelled after {done} of {total} rows. Rows that were imported stay.':
    'Nach {done} von {total} Zeilen abgebrochen. Importierte Zeilen bleiben erhalten.',
  'Failed after {done} of {total} rows. Rows that were imported stay.':
    'Nach {done} von {total} Zeilen fehlgeschlagen. Importierte Zeilen bleiben erhalten.',
  'Failed to cancel the import': 'Der Import konnte nicht abgebrochen werden',
  'Cancel import': 'Import abbrechen',
  'Download Sample CSV': 'Beispiel-CSV herunterladen',
  'Columns:': 'Spalten:',
  'Columns: {columns}': 'Spalten: {columns}',
  'Only .csv files': 'Nur .csv-Dateien',
  'Drop a CSV file here': 'CSV-Datei hier ablegen',
  'then drop a .csv file here': 'und legen Sie dann eine .csv-Datei hier ab',
  'then drop a .csv file with {columns}': 'und legen Sie dann eine .csv-Datei mit {columns} hier ab',
  'Select CSV File': 'CSV-Datei wählen',
  'Uploading...': 'Wird hochgeladen...',
  'You can leave this page. The import goes on.': 'Sie können die Seite verlassen. Der Import läuft weiter.',
  'Reading the file': 'Die Datei wird gelesen',
  '{done} of {total} rows': '{done} von {total} Zeilen',
  'Import of {file}': 'Import von {file}',
  'The import of {file} has started': 'Der Import von {file} hat begonnen',
  'The import of {file} is {share} done': 'Der Import von {file} ist zu {share} fertig',
  'CSV file': 'CSV-Datei',
  '{rows} for {target}': '{rows} für {target}',
  '{rows}, imported in {seconds} s': '{rows}, importiert in {seconds} s',
  Created: 'Angelegt',
  Failed: 'Fehlerhaft',
  Duplicates: 'Doppelt',
  'Duplicates skipped': 'Doppelte übersprungen',
  'Access granted': 'Zugänge erteilt',
  'Failed rows': 'Fehlerhafte Zeilen',
  Row: 'Zeile',
  Reason: 'Grund',
  'Product in file': 'Produkt in der Datei',
  'User in file': 'Nutzer in der Datei',
  'Coupon code in file': 'Gutscheincode in der Datei',
  'and {count} more': 'und {count} weitere',
  Dismiss: 'Ausblenden',
  'Download failed rows (CSV)': 'Fehlerzeilen herunterladen (CSV)',
  'Failed to download the failed rows': 'Die fehlerhaften Zeilen konnten nicht heruntergeladen werden',
  'Import Complete': 'Import abgeschlossen',
  'Bulk Import Complete': 'Sammel-Import abgeschlossen',
  'Bulk User Import Complete': 'Sammel-Import der Nutzer abgeschlossen',
  'Successfully created {success} products. Failed to create {failures} products.':
    'Angelegte Produkte: {success}. Nicht angelegt: {failures}.',
  'Processed {total} records: {success} users created, {duplicates} found, {productAccess} product access granted, {failures} failed':
    '{total} Datensätze verarbeitet: {success} Nutzer angelegt, {duplicates} gefunden, {productAccess} Zugänge erteilt, {failures} fehlerhaft',
  '{success} created, {duplicates} skipped, {failures} failed':
    '{success} angelegt, {duplicates} übersprungen, {failures} fehlerhaft',
  'Failed to import products': 'Die Produkte konnten nicht importiert werden',
  'Failed to import users': 'Die Nutzer konnten nicht importiert werden',
  'Failed to import coupons': 'Die Gutscheine konnten nicht importiert werden',
  'Failed to process CSV upload': 'Die CSV-Datei konnte nicht verarbeitet werden',
  'Please select at least one product before uploading users':
    'Bitte wählen Sie mindestens ein Produkt, bevor Sie Nutzer hochladen',
  'Please select a product before uploading coupons':
    'Bitte wählen Sie ein Produkt, bevor Sie Gutscheine hochladen',
  'Authentication Required': 'Anmeldung erforderlich',
  'Please log in again to upload users': 'Bitte melden Sie sich erneut an, um Nutzer hochzuladen',
  'Please log in again to upload coupons': 'Bitte melden Sie sich erneut an, um Gutscheine hochzuladen',
  'Invalid file type': 'Falscher Dateityp',
  'Please upload a CSV file': 'Bitte laden Sie eine CSV-Datei hoch',
  'File too large': 'Datei zu groß',
  'The file is {size} MB; 64 MB is the most. Cut it in two.':
    'Die Datei hat {size} MB; mehr als 64 MB sind nicht möglich. Teilen Sie sie auf.',
  '{file} was not imported': '{file} wurde nicht importiert',
  'This is not a CSV file. Save it as CSV in your spreadsheet program and choose it again.':
    'Das ist keine CSV-Datei. Speichern Sie sie in Ihrer Tabellenkalkulation als CSV und wählen Sie sie erneut.',
  'Empty file': 'Leere Datei',
  'The CSV file appears to be empty': 'Die CSV-Datei ist offenbar leer',
  'Processing Large Upload': 'Große Datei wird verarbeitet',
  'Your file has {count} records. This can take a minute.':
    'Ihre Datei hat {count} Datensätze. Das kann eine Minute dauern.',

  // Administrators' pages: products
  'Add New Product': 'Neues Produkt anlegen',
  'Bulk Upload Products': 'Produkte gesammelt hochladen',
  Current: 'Aktuell',
  Archived: 'Archiviert',
  Show: 'Anzeigen',
  'No product is archived.': 'Es ist kein Produkt archiviert.',
  'Existing Products': 'Vorhandene Produkte',
  Name: 'Name',
  URL: 'URL',
  Description: 'Beschreibung',
  'Page Title': 'Seitentitel',
  'Header Text': 'Text über dem Namen',
  Instructions: 'Anleitung',
  'One step per line. Web links become clickable.': 'Ein Schritt pro Zeile. Aus Webadressen werden Links.',
  'Shared Coupon': 'Gemeinsamer Code',
  'Every learner gets the same code': 'Alle Lernenden erhalten denselben Code',
  Yes: 'Ja',
  No: 'Nein',
  'Enter a name': 'Geben Sie einen Namen ein',
  'Enter the address where learners redeem': 'Geben Sie die Adresse ein, unter der eingelöst wird',
  'Enter a description': 'Geben Sie eine Beschreibung ein',
  'Save Product': 'Produkt speichern',
  'Product created successfully': 'Das Produkt ist angelegt',
  'Failed to create product': 'Das Produkt konnte nicht angelegt werden',
  '{column} may be left empty.': '{column} darf leer bleiben.',
  'Product ids are created for you.': 'Die Produkt-IDs werden für Sie vergeben.',

  // Admin page of one product
  'Open product page': 'Produktseite öffnen',
  'Loading product...': 'Produkt wird geladen...',
  'Product not found': 'Produkt nicht gefunden',
  'No product has this address.': 'Unter dieser Adresse gibt es kein Produkt.',
  'We could not load the product.': 'Das Produkt konnte nicht geladen werden.',
  State: 'Zustand',
  Live: 'Aktiv',
  Scheduled: 'Geplant',
  Ended: 'Beendet',
  'Learners with access can redeem.': 'Lernende mit Zugang können einlösen.',
  'Learners with access can redeem until {day}.': 'Lernende mit Zugang können bis zum {day} einlösen.',
  'Paused on {day}.': 'Pausiert am {day}.',
  'Paused on {day} by {who}.': 'Pausiert am {day} von {who}.',
  'Nobody is given a new code.': 'Niemand bekommt einen neuen Code.',
  'Archived on {day}.': 'Archiviert am {day}.',
  'Archived on {day} by {who}.': 'Archiviert am {day} von {who}.',
  'Only people who hold a code still see it.': 'Nur wer einen Code hat, sieht es noch.',
  'Redeeming opens on {day}. Until then learners see the product and the day.':
    'Einlösen ist ab {day} möglich. Bis dahin sehen Lernende das Produkt und den Tag.',
  'Redeeming closed on {day}. Change ‘Redeeming closes’ to open it again.':
    'Einlösen war bis {day} möglich. Ändern Sie „Einlösen bis“, um es wieder zu öffnen.',
  'Hold a code': 'Haben einen Code',
  Void: 'Ungültig',
  Pause: 'Pausieren',
  Resume: 'Fortsetzen',
  Archive: 'Archivieren',
  'Bring back': 'Zurückholen',
  'Product paused': 'Das Produkt ist pausiert',
  'Product archived': 'Das Produkt ist archiviert',
  'Product resumed': 'Das Produkt ist wieder aktiv',
  'Product brought back': 'Das Produkt ist zurückgeholt',
  'Failed to change the product': 'Das Produkt konnte nicht geändert werden',
  'Pause {product}?': '{product} pausieren?',
  'Learners without a code see ‘Paused’ and cannot redeem.':
    'Lernende ohne Code sehen „Pausiert“ und können nicht einlösen.',
  'Nobody holds a code yet.': 'Noch niemand hat einen Code.',
  Note: 'Notiz',
  'optional, for staff only': 'optional, nur für das Team',
  'Archive {product}?': '{product} archivieren?',
  'Learners without a code no longer see it on their page; its link says ‘This offer has ended’.':
    'Lernende ohne Code sehen es nicht mehr auf ihrer Seite; sein Link zeigt „Dieses Angebot ist beendet“.',
  'You can bring it back at any time.': 'Sie können es jederzeit zurückholen.',
  'Save Changes': 'Änderungen speichern',
  'Product saved': 'Das Produkt ist gespeichert',
  'Failed to save product': 'Das Produkt konnte nicht gespeichert werden',
  'Unsaved changes': 'Nicht gespeicherte Änderungen',
  'Every learner gets the same code. This cannot be changed any more.':
    'Alle Lernenden bekommen denselben Code. Das lässt sich nicht mehr ändern.',
  'Redeeming opens': 'Einlösen ab',
  'Redeeming closes': 'Einlösen bis',
  'Default last day for codes': 'Letzter Tag neuer Codes',
  'First day. Empty: at once.': 'Erster Tag. Leer: sofort.',
  'Last day. Empty: no end.': 'Letzter Tag. Leer: ohne Ende.',
  'For uploads without use_by.': 'Für Uploads ohne use_by.',
  'Enter a complete day': 'Geben Sie einen vollständigen Tag ein',
  'Enter a complete day, not before the day on which redeeming opens':
    'Geben Sie einen vollständigen Tag ein, der nicht vor dem ersten Tag liegt',
  'Enter a complete day after today': 'Geben Sie einen vollständigen Tag nach heute ein',
  'Somebody else changed this product meanwhile.': 'Jemand anderes hat dieses Produkt inzwischen geändert.',
  'What you typed is still here.': 'Ihre Eingaben sind noch da.',
  'Show their version': 'Andere Fassung anzeigen',
  'We could not load their version.': 'Die andere Fassung konnte nicht geladen werden.',
  '{who}, {time}.': '{who}, {time}.',
  'Save Changes keeps what stands in the form.': '„Änderungen speichern“ behält, was im Formular steht.',
  'Their version': 'Andere Fassung',
  '(empty)': '(leer)',
  'Use theirs': 'Übernehmen',
  'Use theirs: {field}': 'Übernehmen: {field}',
  'Leave without saving?': 'Ohne Speichern verlassen?',
  'Your changes to {product} are not saved yet.': 'Ihre Änderungen an {product} sind noch nicht gespeichert.',
  Stay: 'Bleiben',
  Leave: 'Verlassen',
  'Uploads of this product': 'Uploads dieses Produkts',
  File: 'Datei',
  'No file name': 'Ohne Dateiname',
  By: 'Von',
  Codes: 'Codes',
  'Loading uploads...': 'Uploads werden geladen...',
  'We could not load the uploads.': 'Die Uploads konnten nicht geladen werden.',
  'No codes were uploaded for this product yet.': 'Für dieses Produkt wurden noch keine Codes hochgeladen.',

  // Administrators' pages: users
  'Add New User': 'Neuen Nutzer anlegen',
  'Bulk Upload Users': 'Nutzer gesammelt hochladen',
  'Existing Users': 'Vorhandene Nutzer',
  Phone: 'Telefon',
  'N/A': 'k. A.',
  Role: 'Rolle',
  user: 'Nutzer',
  admin: 'Administrator',
  'Select products': 'Produkte wählen',
  'Select products first': 'Wählen Sie zuerst Produkte',
  'Products for all users in the file': 'Produkte für alle Nutzer in der Datei',
  'Enter an email address': 'Geben Sie eine E-Mail-Adresse ein',
  'Select at least one product': 'Wählen Sie mindestens ein Produkt',
  'Save User': 'Nutzer speichern',
  'This person exists: {name}. Saving adds the products.':
    'Diese Person gibt es schon: {name}. Beim Speichern kommen die Produkte hinzu.',
  'A name or phone number that you type replaces the old one; one left empty stays.':
    'Ein Name oder eine Telefonnummer, die Sie eingeben, ersetzt die bisherige; ein leeres Feld ändert nichts.',
  'User created/updated successfully': 'Der Nutzer ist gespeichert',
  'Failed to create/update user': 'Der Nutzer konnte nicht gespeichert werden',
  'User Access Management': 'Zugänge der Nutzer',
  'See which tools a learner has, and give or replace a code.':
    'Sehen Sie, welche Tools jemand hat, und vergeben oder ersetzen Sie Codes.',
  'User email': 'E-Mail des Nutzers',
  'View Products': 'Produkte anzeigen',
  'Missing email': 'E-Mail fehlt',
  'Please enter a user email address': 'Bitte geben Sie die E-Mail-Adresse eines Nutzers ein',
  'Failed to fetch user access': 'Die Zugänge des Nutzers konnten nicht abgerufen werden',
  'Last sign-in: {time}': 'Zuletzt angemeldet: {time}',
  Never: 'nie',
  'This user has no products yet.': 'Dieser Nutzer hat noch keine Produkte.',
  'Assigned {day}': 'Vergeben am {day}',
  'No coupon yet': 'Noch kein Gutschein',
  'Copy {code}': '{code} kopieren',
  'Withdrawn {day}': 'Zurückgezogen am {day}',
  'Valid from {from}': 'Zugang ab {from}',
  'Valid {from} to {until}': 'Zugang vom {from} bis {until}',
  'No access now': 'Derzeit kein Zugang',
  'More for {product}': 'Mehr zu {product}',
  'Change dates': 'Zeitraum ändern',
  'Remove access': 'Zugang entziehen',
  'Revoke code': 'Code zurückziehen',
  'Revoke and replace': 'Zurückziehen und ersetzen',
  'Comes with a cohort. Change it there.': 'Kommt von einer Gruppe. Ändern Sie ihn dort.',
  'Remove this person from the cohort instead.': 'Nehmen Sie die Person stattdessen aus der Gruppe.',
  'Comes with a purchase.': 'Kommt von einem Kauf.',
  'This person has no access now.': 'Die Person hat derzeit keinen Zugang.',
  'Access begins on {day}.': 'Der Zugang beginnt am {day}.',
  'This product is archived.': 'Dieses Produkt ist archiviert.',
  'Removed {day}': 'Entzogen am {day}',
  '3 to 200 characters. Kept in the log, seen by staff.':
    '3 bis 200 Zeichen. Bleibt im Protokoll, nur das Team sieht ihn.',
  '{count} of 200 characters': '{count} von 200 Zeichen',
  'Give a reason of at least {count} characters': 'Nennen Sie einen Grund mit mindestens {count} Zeichen',
  '{code} was withdrawn from {who}. They get another code of {product} now.':
    '{code} wurde {who} entzogen. Jetzt wird ein anderer Code für {product} vergeben.',
  'Which access?': 'Welcher Zugang?',
  'Somebody else changed this meanwhile.': 'Jemand anderes hat das inzwischen geändert.',
  'all products': 'allen Produkten',
  'Given by {who}': 'Erteilt von {who}',
  'Access of {who} to {product}.': 'Zugang von {who} zu {product}.',
  From: 'Von',
  Until: 'Bis',
  'Enter a day': 'Geben Sie einen Tag ein',
  'Enter a day, or leave it empty': 'Geben Sie einen Tag ein, oder lassen Sie das Feld leer',
  'The last day is before the first.': 'Der letzte Tag liegt vor dem ersten.',
  'Course was extended': 'Kurs wurde verlängert',
  'Save Dates': 'Zeitraum speichern',
  'Dates changed': 'Der Zeitraum ist geändert',
  'Failed to change the dates': 'Der Zeitraum konnte nicht geändert werden',
  '{who} can no longer redeem {product}.': '{who} kann {product} nicht mehr einlösen.',
  '{who} keeps the other access to {product}.': '{who} behält den anderen Zugang zu {product}.',
  '{who} cannot redeem {product} until {day}, when the other access begins.':
    '{who} kann {product} erst ab {day} einlösen, wenn der andere Zugang beginnt.',
  'This ends the access of {who} to all products, not only to {product}.':
    'Das beendet den Zugang von {who} zu allen Produkten, nicht nur zu {product}.',
  'Left the course': 'Hat den Kurs verlassen',
  'Also revoke the code': 'Auch den Code zurückziehen',
  'Without this the learner keeps seeing the code they hold.':
    'Sonst sehen Lernende den Code, den sie haben, weiterhin.',
  'Access removed': 'Der Zugang ist entzogen',
  'Failed to remove the access': 'Der Zugang konnte nicht entzogen werden',
  '{code} is taken from {who} and never handed out again. They see ‘Code withdrawn’ and get no other one by themselves.':
    '{code} wird {who} entzogen und nie wieder vergeben. Statt des Codes erscheint „Code zurückgezogen“; einen neuen gibt es nicht von selbst.',
  '{code} is taken from {who} and never handed out again. They see the code again that they got before.':
    '{code} wird {who} entzogen und nie wieder vergeben. Stattdessen erscheint wieder der vorige Code.',
  'The partner still accepts the code until it is told.':
    'Der Partner nimmt den Code weiterhin an, bis Sie ihm Bescheid geben.',
  'Code was shared publicly': 'Code wurde öffentlich geteilt',
  'Code revoked': 'Der Code ist zurückgezogen',
  'Failed to revoke the code': 'Der Code konnte nicht zurückgezogen werden',
  '{code} is taken from {who}, and they get another code of {product} at once.':
    '{code} wird {who} entzogen und sofort durch einen anderen Code für {product} ersetzt.',
  'No code is left: the portal generates one. The partner must accept it before it works.':
    'Kein Code ist mehr frei: Das Portal erzeugt einen. Der Partner muss ihn annehmen, bevor er gilt.',
  'Partner says the code was used up': 'Der Partner sagt, der Code sei verbraucht',
  'Code replaced: {code}': 'Code ersetzt: {code}',
  'Failed to replace the code': 'Der Code konnte nicht ersetzt werden',
  'Generate Coupon for User': 'Code für Nutzer erzeugen',
  'Regenerate Coupon': 'Neuen Code erzeugen',
  'Wait {minutes} min': 'Noch {minutes} Min.',
  'Please wait': 'Bitte warten',
  'You can regenerate this coupon in {minutes} minute(s)':
    'Sie können diesen Code in {minutes} Min. wieder ersetzen',
  'Coupon generated: {code}': 'Code erzeugt: {code}',
  'Failed to generate coupon': 'Der Code konnte nicht erzeugt werden',
  'New coupon generated: {code} (assigned to admin)':
    'Neuer Code erzeugt: {code} (vergeben durch die Verwaltung)',
  'Failed to regenerate coupon': 'Der neue Code konnte nicht erzeugt werden',
  'Regenerate this coupon?': 'Neuen Code erzeugen?',
  '{who} already holds {code} for {product}. Generating another code means this user will hold multiple coupons for the product.':
    '{who} hat für {product} schon den Code {code}. Mit einem weiteren hat dieser Nutzer mehrere Gutscheine für das Produkt.',
  Cancel: 'Abbrechen',

  // Administrators' pages: team
  People: 'Personen',
  Team: 'Team',
  Invite: 'Einladen',
  'They get a mail with a link to the sign-in page. The role counts from their first sign-in with this address.':
    'Die Person bekommt eine E-Mail mit einem Link zur Anmeldung. Die Rolle gilt, sobald sie sich mit dieser Adresse anmeldet.',
  'Viewer:': 'Betrachter:',
  'Support:': 'Support:',
  'Manager:': 'Manager:',
  'Owner:': 'Eigentümer:',
  '{role} sees figures, no codes and no people.': '{role} sieht Zahlen, keine Codes und keine Personen.',
  '{role} looks people up, gives and replaces codes.':
    '{role} sieht Personen nach, vergibt und ersetzt Codes.',
  '{role} everything but team and integrations.': '{role} alles außer Team und Anbindungen.',
  '{role} everything.': '{role} alles.',
  'Send Invitation': 'Einladung senden',
  'Invitation sent': 'Die Einladung ist gesendet',
  'The role is saved. The last mail is less than 10 minutes old.':
    'Die Rolle ist gespeichert. Die letzte E-Mail ist keine 10 Minuten alt.',
  'Failed to send the invitation': 'Die Einladung konnte nicht gesendet werden',
  'Loading the team...': 'Das Team wird geladen...',
  'We could not load the team.': 'Das Team konnte nicht geladen werden.',
  you: 'Sie',
  'Last sign-in': 'Zuletzt angemeldet',
  Actions: 'Aktionen',
  Viewer: 'Betrachter',
  Support: 'Support',
  Manager: 'Manager',
  Owner: 'Eigentümer',
  viewer: 'Betrachter',
  support: 'Support',
  manager: 'Manager',
  owner: 'Eigentümer',
  'Role of {name}': 'Rolle von {name}',
  'Sign out': 'Abmelden',
  'Sign out {name}': '{name} abmelden',
  Remove: 'Entfernen',
  'Remove {name}': '{name} entfernen',
  'Today, {time}': 'Heute, {time}',
  'Not yet here': 'Noch nicht angemeldet',
  'Invited {day}, not yet here': 'Eingeladen am {day}, noch nicht angemeldet',
  figures: 'Zahlen',
  'people, access, codes': 'Personen, Zugänge, Codes',
  'uploads, products, exports': 'Uploads, Produkte, Exporte',
  'team, integrations': 'Team, Anbindungen',
  'They gain: {things}.': 'Hinzu kommen: {things}.',
  'They lose: {things}.': 'Es entfallen: {things}.',
  'You lose: {things}.': 'Für Sie entfallen: {things}.',
  'You cannot undo this yourself.': 'Sie können das nicht selbst rückgängig machen.',
  'Make {name} {role}?': '{name}: künftig {role}?',
  'Make {role}': 'Zu {role} machen',
  'Role changed': 'Die Rolle ist geändert',
  'Remove {name} from the team?': '{name} aus dem Team entfernen?',
  'Their products and codes as a learner stay.': 'Eigene Produkte und Codes bleiben.',
  'Your products and codes as a learner stay.': 'Ihre eigenen Produkte und Codes bleiben.',
  'Also sign them out everywhere': 'Auch überall abmelden',
  'Also sign me out everywhere': 'Mich auch überall abmelden',
  'Removed from the team': 'Aus dem Team entfernt',
  'Sign out {name}?': '{name} abmelden?',
  'This signs them out in every browser. They can sign in again.':
    'Das meldet die Person in allen Browsern ab. Sie kann sich wieder anmelden.',
  'This signs you out in every browser, also in this one. You can sign in again.':
    'Das meldet Sie in allen Browsern ab, auch in diesem. Sie können sich wieder anmelden.',
  'Signed out everywhere': 'Überall abgemeldet',
  'Failed to change the team': 'Das Team konnte nicht geändert werden',

  // Administrators' pages: coupons
  'Add New Coupon': 'Neuen Gutschein anlegen',
  'Bulk Upload Coupons': 'Gutscheine gesammelt hochladen',
  'Existing Coupons': 'Vorhandene Gutscheine',
  'Coupons per product': 'Gutscheine je Produkt',
  'Figures only: your role shows no codes and no people.':
    'Nur Zahlen: Ihre Rolle zeigt weder Codes noch Personen.',
  Stock: 'Bestand',
  'Loading figures...': 'Zahlen werden geladen...',
  'Coupon Code': 'Gutscheincode',
  'Enter a coupon code': 'Geben Sie einen Gutscheincode ein',
  'Enter a unique coupon code': 'Geben Sie einen Code ein, den es noch nicht gibt',
  'Select a product': 'Produkt wählen',
  'Please select a product': 'Bitte wählen Sie ein Produkt',
  'Save Coupon': 'Gutschein speichern',
  'Coupon created successfully': 'Der Gutschein ist angelegt',
  'Failed to create coupon': 'Der Gutschein konnte nicht angelegt werden',
  'The CSV holds only {column}.': 'Die CSV-Datei enthält nur {column}.',
  'Choose the product here; it applies to every coupon in the file.':
    'Wählen Sie das Produkt hier; es gilt für alle Gutscheine in der Datei.',
  'Codes are auto-generated if left blank.': 'Leere Codes werden für Sie erzeugt.',
  'Select Product for Bulk Upload*': 'Produkt für den Sammel-Upload*',
  'Select a product first': 'Wählen Sie zuerst ein Produkt',
  'User Email': 'E-Mail des Nutzers',
  Status: 'Status',
  Assigned: 'Vergeben',
  Available: 'Frei',
  'Only codes of': 'Nur Codes von',
  'All products': 'Alle Produkte',
  'Beside it the file may hold {column}, the last day a code works, such as 2026-12-31.':
    'Daneben darf sie {column} enthalten, den letzten Tag, an dem ein Code gilt, etwa 2026-12-31.',
  'Use by': 'Gültig bis',
  Revoked: 'Zurückgezogen',
  Section: 'Bereich',

  // Administrators' pages: uploads of codes
  Uploads: 'Uploads',
  Upload: 'Upload',
  'Files of codes, newest first.': 'Dateien mit Codes, die neueste zuerst.',
  'Files of codes, newest first. Open one to void what is unused or to set its last day.':
    'Dateien mit Codes, die neueste zuerst. Öffnen Sie eine, um freie Codes ungültig zu machen oder ihren letzten Tag zu setzen.',
  'Only uploads of': 'Nur Uploads von',
  'No uploads found.': 'Noch keine Uploads.',
  'No uploads found. Upload a file of codes on the page Codes.':
    'Noch keine Uploads. Laden Sie auf der Seite Codes eine Datei mit Codes hoch.',
  'No uploads match.': 'Keine Uploads passen dazu.',
  'There are no uploads on this page.': 'Auf dieser Seite sind keine Uploads.',
  'Show all uploads': 'Alle Uploads zeigen',
  'Upload not found': 'Upload nicht gefunden',
  'There is no upload at this address.': 'Unter dieser Adresse gibt es keinen Upload.',
  'Loading the upload...': 'Der Upload wird geladen...',
  'We could not load the upload.': 'Der Upload konnte nicht geladen werden.',
  'None is available any more.': 'Keiner ist mehr frei.',
  'The available codes have several last days.': 'Die freien Codes haben verschiedene letzte Tage.',
  'The available codes have no last day.': 'Die freien Codes haben keinen letzten Tag.',
  'Last day of the available codes: {day}': 'Letzter Tag der freien Codes: {day}',
  'in the pool': 'im Bestand',
  'stay with their holders': 'bleiben bei ihren Inhabern',
  'taken back from one person': 'einer Person entzogen',
  'will not be handed out': 'werden nicht mehr vergeben',
  '{free} available, {held} assigned, {revoked} revoked, {void} void':
    '{free} frei, {held} vergeben, {revoked} zurückgezogen, {void} ungültig',
  'About this upload': 'Zu diesem Upload',
  Uploaded: 'Hochgeladen',
  'Change this upload': 'Diesen Upload ändern',
  'Set last day': 'Letzten Tag setzen',
  'The last day a code works. It changes the available codes only.':
    'Der letzte Tag, an dem ein Code gilt. Das ändert nur die freien Codes.',
  'Void unused codes': 'Freie Codes ungültig machen',
  'For a wrong file, or codes that the partner withdrew. What was handed out stays.':
    'Für eine falsche Datei oder Codes, die der Partner zurückgezogen hat. Was vergeben ist, bleibt.',
  'Off while codes are being voided.': 'Nicht möglich, solange Codes ungültig gemacht werden.',
  'Off while the last day is being set.': 'Nicht möglich, solange der letzte Tag gesetzt wird.',
  'No code of this upload is unused.': 'Kein Code dieses Uploads ist mehr frei.',
  'Why?': 'Warum?',
  'The upload was a mistake. The codes may be uploaded again.':
    'Der Upload war ein Versehen. Die Codes dürfen wieder hochgeladen werden.',
  'The upload was a mistake.': 'Der Upload war ein Versehen.',
  'These codes must not be used any more.': 'Diese Codes dürfen nicht mehr verwendet werden.',
  'Enter at least {count} characters, or leave it empty':
    'Geben Sie mindestens {count} Zeichen ein, oder lassen Sie das Feld leer',
  'Failed to void the codes': 'Die Codes konnten nicht ungültig gemacht werden',
  'Last day': 'Letzter Tag',
  'The last day the partner accepts the code. Empty: no last day.':
    'Der letzte Tag, an dem der Partner den Code annimmt. Leer: kein letzter Tag.',
  'This day does not lie ahead. The codes become void.':
    'Dieser Tag liegt nicht in der Zukunft. Die Codes werden ungültig.',
  'Codes that have expired become available again.': 'Abgelaufene Codes werden wieder frei.',
  'Failed to set the last day': 'Der letzte Tag konnte nicht gesetzt werden',
  '{now} are unused now, not {before}:': 'Jetzt sind {now} frei, nicht {before}:',
  'Please look again.': 'Bitte prüfen Sie es noch einmal.',
  '{done} of {total} codes': '{done} von {total} Codes',
  'You can leave this page. It goes on.': 'Sie können diese Seite verlassen. Es läuft weiter.',
  Result: 'Ergebnis',
  '{done}, {gone}': '{done}, {gone}',
  'Upload the codes again and they count as new.':
    'Laden Sie die Codes wieder hoch, dann zählen sie als neu.',
  'Stopped after {done} of {total} codes.': 'Angehalten nach {done} von {total} Codes.',
};

/** Texts that depend on a number. The key is the English plural form. */
export const counted: Record<string, Forms> = {
  '{count} hold a code and keep seeing it.': {
    one: '{count} Person hat einen Code und sieht ihn weiterhin.',
    other: '{count} Personen haben einen Code und sehen ihn weiterhin.',
  },
  '{count} unused codes stay with the product.': {
    one: '{count} unbenutzter Code bleibt beim Produkt.',
    other: '{count} unbenutzte Codes bleiben beim Produkt.',
  },
  '{count} people who hold a code still see these texts.': {
    one: '{count} Person, die einen Code hat, sieht diese Texte noch.',
    other: '{count} Personen, die einen Code haben, sehen diese Texte noch.',
  },
  '{count} fields differ.': { one: '{count} Feld weicht ab.', other: '{count} Felder weichen ab.' },
  '{count} tools on your plan': {
    one: '{count} Tool in Ihrem Programm',
    other: '{count} Tools in Ihrem Programm',
  },
  '{count} codes issued': { one: '{count} Code ausgegeben', other: '{count} Codes ausgegeben' },
  '{count} sign-in mails': { one: '{count} Anmeldemail', other: '{count} Anmeldemails' },
  '{count} notices': { one: '{count} Hinweis', other: '{count} Hinweise' },
  '{count} stock mails': { one: '{count} Bestandsmail', other: '{count} Bestandsmails' },
  '{count} invitations': { one: '{count} Einladung', other: '{count} Einladungen' },
  '{count} uploads': { one: '{count} Upload', other: '{count} Uploads' },
  '{count} codes were generated by the portal. The partner does not know them yet.': {
    one: '{count} Code wurde vom Portal erzeugt. Der Partner kennt ihn noch nicht.',
    other: '{count} Codes wurden vom Portal erzeugt. Der Partner kennt sie noch nicht.',
  },
  '{count} products': { one: '{count} Produkt', other: '{count} Produkte' },
  '{count} products selected': { one: '{count} Produkt gewählt', other: '{count} Produkte gewählt' },
  '{count} codes': { one: '{count} Code', other: '{count} Codes' },
  '{count} more codes were uploaded again and belong to the newer upload.': {
    one: '{count} weiterer Code wurde erneut hochgeladen und gehört zum neueren Upload.',
    other: '{count} weitere Codes wurden erneut hochgeladen und gehören zum neueren Upload.',
  },
  '{count} codes of this upload are unused.': {
    one: '{count} Code dieses Uploads ist frei.',
    other: '{count} Codes dieses Uploads sind frei.',
  },
  '{count} were handed out and stay.': {
    one: '{count} ist vergeben und bleibt.',
    other: '{count} sind vergeben und bleiben.',
  },
  '{count} codes of this upload are unused and get this day.': {
    one: '{count} Code dieses Uploads ist nicht vergeben und erhält diesen Tag.',
    other: '{count} Codes dieses Uploads sind nicht vergeben und erhalten diesen Tag.',
  },
  '{count} were handed out and keep theirs.': {
    one: '{count} ist vergeben und behält seinen.',
    other: '{count} sind vergeben und behalten ihren.',
  },
  '{count} became free again meanwhile.': {
    one: '{count} wurde inzwischen wieder frei.',
    other: '{count} wurden inzwischen wieder frei.',
  },
  'Void {count} codes': { one: '{count} Code ungültig machen', other: '{count} Codes ungültig machen' },
  'Set last day of {count} codes': {
    one: 'Letzten Tag für {count} Code setzen',
    other: 'Letzten Tag für {count} Codes setzen',
  },
  'Voiding {count} codes': {
    one: '{count} Code wird ungültig gemacht',
    other: '{count} Codes werden ungültig gemacht',
  },
  'Setting the last day of {count} codes': {
    one: 'Der letzte Tag wird für {count} Code gesetzt',
    other: 'Der letzte Tag wird für {count} Codes gesetzt',
  },
  '{count} codes voided': {
    one: '{count} Code ungültig gemacht',
    other: '{count} Codes ungültig gemacht',
  },
  'Last day set for {count} codes': {
    one: 'Letzter Tag für {count} Code gesetzt',
    other: 'Letzter Tag für {count} Codes gesetzt',
  },
  '{count} were handed out meanwhile': {
    one: '{count} wurde inzwischen vergeben',
    other: '{count} wurden inzwischen vergeben',
  },
  'about {count} seconds left': { one: 'noch etwa {count} Sekunde', other: 'noch etwa {count} Sekunden' },
  'about {count} minutes left': { one: 'noch etwa {count} Minute', other: 'noch etwa {count} Minuten' },
  '{count} are left.': { one: '{count} ist noch frei.', other: '{count} sind noch frei.' },
  '{count} duplicates': { one: '{count} Duplikat', other: '{count} Duplikate' },
  '{count} rows': { one: '{count} Zeile', other: '{count} Zeilen' },
};

/**
 * Texts that the server and the sign-in service send, and texts of the default brand. Rare protocol errors are not
 * translated (docs/decisions/0021).
 */
export const served: Record<string, string> = {
  // Texts of the default brand, which is used without BRAND_FILE
  Community: 'Community',
  Newsletter: 'Newsletter',
  'Priority access at peak times': 'Vorrang zu Stoßzeiten',
  '5x more messages than the free tier': 'Fünfmal so viele Nachrichten wie in der kostenlosen Version',
  'Early access to new features': 'Früher Zugang zu neuen Funktionen',

  // Errors of redemptions, and errors that every call may have
  'Authentication Required': 'Anmeldung erforderlich',
  'Please log in to redeem coupons.': 'Bitte melden Sie sich an, um Gutscheine einzulösen.',
  Error: 'Fehler',
  'Product information not available': 'Zu diesem Produkt fehlen Angaben',
  'Sorry, access is restricted!': 'Kein Zugang zu diesem Angebot',
  'Email not registered': 'E-Mail-Adresse nicht registriert',
  'Product not found': 'Produkt nicht gefunden',
  'This product does not exist or was removed.': 'Dieses Produkt gibt es nicht oder nicht mehr.',
  'No codes left': 'Keine Codes mehr',
  'All codes of this benefit have been handed out. Please try again later or write to us at {email}':
    'Alle Codes dieses Vorteils sind ausgegeben. Bitte versuchen Sie es später erneut oder schreiben Sie uns an {email}',
  'The service is busy. Please try again.': 'Der Dienst ist ausgelastet. Bitte versuchen Sie es erneut.',
  'Somebody else changed the same at that moment. Nothing was changed. Please try again.':
    'Im selben Moment hat jemand anderes dasselbe geändert. Es wurde nichts geändert. Bitte versuchen Sie es erneut.',
  'The database took too long. Nothing was changed. Please try again.':
    'Die Datenbank hat zu lange gebraucht. Es wurde nichts geändert. Bitte versuchen Sie es erneut.',
  'The connection to the database was lost. Nothing was changed. Please try again.':
    'Die Verbindung zur Datenbank ist abgerissen. Es wurde nichts geändert. Bitte versuchen Sie es erneut.',
  'The connection to the database was lost. It is not known whether the change was made. Please look before you try again.':
    'Die Verbindung zur Datenbank ist abgerissen. Ob die Änderung gespeichert wurde, ist nicht bekannt. Bitte sehen Sie nach, bevor Sie es erneut versuchen.',

  // Errors of the sign-in service
  'email rate limit exceeded':
    'An diese Adresse gingen schon zu viele E-Mails. Bitte versuchen Sie es später erneut.',
  'Too many people ask for mails. Please try again in a few minutes.':
    'Gerade werden zu viele E-Mails angefordert. Bitte versuchen Sie es in einigen Minuten erneut.',
  'Too many wrong codes were typed. Please use the link in the mail.':
    'Es wurden zu viele falsche Codes eingegeben. Bitte nehmen Sie den Link in der E-Mail.',
  'For security purposes, you can only request this after {seconds} seconds.':
    'Aus Sicherheitsgründen können Sie das erst in {seconds} Sekunden wieder anfordern.',
  'Email link is invalid or has expired': 'Der Link aus der E-Mail ist ungültig oder abgelaufen.',
  'The sign-in provider does not answer. Please try again.':
    'Der Anmeldedienst antwortet nicht. Bitte versuchen Sie es erneut.',
  'The sign-in provider could not be asked. Please try again.':
    'Der Anmeldedienst ist nicht erreichbar. Bitte versuchen Sie es erneut.',
  'The email address of this account is not verified at the provider.':
    'Die E-Mail-Adresse dieses Kontos ist beim Anmeldedienst nicht bestätigt.',

  // Responses to calls of administrators
  'User not found': 'Nutzer nicht gefunden',
  'The portal needs an owner. Make somebody else owner first.':
    'Das Portal braucht einen Eigentümer. Machen Sie zuerst jemand anderen zum Eigentümer.',
  'You cannot invite yourself.': 'Sie können sich nicht selbst einladen.',
  'The team has {count} members already. Remove somebody first.':
    'Das Team hat schon {count} Mitglieder. Entfernen Sie zuerst jemanden.',
  'You sent {count} invitations in the last hour. Please wait {minutes} min.':
    'Sie haben in der letzten Stunde {count} Einladungen gesendet. Bitte warten Sie {minutes} Min.',
  "Sessions are the sign-in service's. Sign the person out there.":
    'Die Sitzungen gehören dem Anmeldedienst. Melden Sie die Person dort ab.',
  "This product is not among the user's products": 'Der Nutzer hat dieses Produkt nicht',
  'This coupon code already exists for the product': 'Diesen Gutscheincode gibt es bei diesem Produkt schon',
  'product_ids names a product that does not exist': 'Eines der gewählten Produkte gibt es nicht mehr',
  'Leave the code out; name its last four characters.':
    'Bitte ohne den Code: Nennen Sie nur seine letzten vier Zeichen.',
  'This upload is being changed. Try again when that is done.':
    'Dieser Upload wird gerade geändert. Versuchen Sie es danach noch einmal.',
  'No available coupon was left; a new code was generated. The partner must accept it before it works.':
    'Es war kein freier Gutschein mehr da; ein neuer Code wurde erzeugt. Er gilt erst, wenn der Partner ihn annimmt.',
  'User created/updated successfully': 'Der Nutzer ist gespeichert',
  'The CSV file cannot be read: a cell on line {line} begins with a quote that is never closed':
    'Die CSV-Datei lässt sich nicht lesen: Eine Zelle in Zeile {line} beginnt mit einem Anführungszeichen, das nie geschlossen wird',
  'The CSV file has no column {columns}': 'Der CSV-Datei fehlt die Spalte {columns}',
  'The request must not be larger than {limit} kB': 'Die Anfrage darf höchstens {limit} kB groß sein',
  'The import goes on; its results will be shown here.':
    'Der Import läuft weiter; sein Ergebnis erscheint hier.',
  'Import not found': 'Import nicht gefunden',
  'Upload not found': 'Upload nicht gefunden',
  'Coupon not found': 'Code nicht gefunden',
  'Grant not found': 'Zugang nicht gefunden',
  'An archived product cannot be paused. Bring it back first.':
    'Ein archiviertes Produkt lässt sich nicht pausieren. Holen Sie es zuerst zurück.',
  'This access was removed. Give it again instead.':
    'Dieser Zugang wurde entzogen. Erteilen Sie ihn stattdessen neu.',
  'The code was not revoked: another grant still gives access.':
    'Der Code wurde nicht zurückgezogen: Ein anderer Zugang gilt noch.',
  'Nobody holds this code.': 'Diesen Code hat niemand.',
  'This code was handed out. Revoke it instead.':
    'Dieser Code ist ausgegeben. Ziehen Sie ihn stattdessen zurück.',
  'The code of this product is shared: it cannot be revoked for one person':
    'Der Code dieses Produkts gilt für alle: Er lässt sich nicht für eine Person zurückziehen',
  'The code of this product is shared: upload it again with its last day, or void it':
    'Der Code dieses Produkts gilt für alle: Laden Sie ihn mit seinem letzten Tag erneut hoch, oder machen Sie ihn ungültig',
  'This was not the current code of the person, so it was not replaced.':
    'Das war nicht der aktuelle Code der Person, deshalb wurde er nicht ersetzt.',
  'The code of this person was withdrawn. Replace it instead.':
    'Der Code dieser Person wurde zurückgezogen. Ersetzen Sie ihn stattdessen.',
  'Codes of this benefit are no longer handed out.': 'Für diesen Vorteil werden keine Codes mehr ausgegeben.',
  'More codes than you saw would change now: {count}.':
    'Jetzt wären mehr Codes betroffen, als Sie gesehen haben: {count}.',
  'Access restricted': 'Zugriff beschränkt',
  'Your role ({role}) may not do this. Ask an owner.':
    'Ihre Rolle ({role}) darf das nicht. Fragen Sie einen Eigentümer.',
  viewer: 'Betrachter',
  support: 'Support',
  manager: 'Manager',
  owner: 'Eigentümer',
  'Authentication required': 'Anmeldung erforderlich',
  'Internal server error': 'Interner Serverfehler',

  // Errors for invalid fields, in forms and in the rows of a file
  '{name} is missing': '{name} fehlt',
  '{name} is required': '{name} fehlt',
  '{name} must be text': '{name} muss Text sein',
  '{name} must be at most {max} characters': '{name} darf höchstens {max} Zeichen haben',
  '{name} must not contain control characters': '{name} darf keine Steuerzeichen enthalten',
  '{name} contains a character that cannot be stored':
    '{name} enthält ein Zeichen, das sich nicht speichern lässt',
  '{name} must be a web address': '{name} muss eine Webadresse sein',
  'use_by must be a day after today such as 2026-12-31': 'use_by muss ein Tag nach heute sein wie 2026-12-31',
  '{name} must be a day such as 2026-12-31': '{name} muss ein Tag sein wie 2026-12-31',
  '{end} must not be before {start}': '{end} darf nicht vor {start} liegen',
  'email must be at most 255 characters': 'email darf höchstens 255 Zeichen haben',
  'email must be an address such as name@example.org': 'email muss eine Adresse sein wie name@example.org',
  'This row cannot be read': 'Diese Zeile lässt sich nicht lesen',
};

/** Texts of the sign-in mail and of the page that its link opens. */
export const mailed: Record<string, string> = {
  'Sign in to {name}': 'Bei {name} anmelden',
  'Open this link:': 'Öffnen Sie diesen Link:',
  'Press the button to sign in.': 'Drücken Sie auf die Schaltfläche, um sich anzumelden.',
  'Sign in': 'Anmelden',
  'Or type this code where you asked for it:':
    'Oder geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:',
  'The link and the code work once, and for {time}.': 'Link und Code gelten nur einmal und nur {time} lang.',
  'If you did not ask for this email, you can ignore it. Nobody can sign in without it.':
    'Wenn Sie diese E-Mail nicht angefordert haben, können Sie sie ignorieren. Ohne sie kann sich niemand anmelden.',
  'Questions? Write to {email}.': 'Fragen? Schreiben Sie an {email}.',

  'Continue to {name}': 'Weiter zu {name}',
  'Press Continue to sign in on this device. If you did not ask for this, close the page.':
    'Drücken Sie auf „Weiter“, um sich auf diesem Gerät anzumelden. Wenn Sie das nicht angefordert haben, schließen Sie die Seite.',
  Continue: 'Weiter',
  'Signing you in…': 'Sie werden angemeldet…',
  'There were too many attempts. Wait a few minutes, then press Continue.':
    'Das waren zu viele Versuche. Warten Sie einige Minuten und drücken Sie dann auf „Weiter“.',
  'The portal does not answer. Press Continue to try again.':
    'Das Portal antwortet nicht. Drücken Sie auf „Weiter“, um es erneut zu versuchen.',
  'Signing in needs JavaScript. Turn it on and open the link again, or type the six-digit code from the email where you asked for it.':
    'Die Anmeldung braucht JavaScript. Schalten Sie es ein und öffnen Sie den Link erneut, oder geben Sie den sechsstelligen Code aus der E-Mail dort ein, wo Sie ihn angefordert haben.',
  'This link no longer works': 'Dieser Link gilt nicht mehr',
  'A sign-in link works once and for a limited time. Go back, log in again and open the newest email.':
    'Ein Anmeldelink gilt nur einmal und nur für begrenzte Zeit. Gehen Sie zurück, melden Sie sich erneut an und öffnen Sie die neueste E-Mail.',
  'Back to Home': 'Zur Startseite',
};

export const de: Catalogue = { said, counted, readServed: readServedFrom(served) };
