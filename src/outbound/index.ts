export { createMailer, type Mail, type Mailer, MailRefused } from './mail.js'
