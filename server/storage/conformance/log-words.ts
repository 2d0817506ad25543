import { expectLogs } from './expect-logs.ts'
import type { LogLiteral } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'

/** The first has the first body and is the newest. */
function logsWith(...bodies: string[]): LogLiteral[] {
  return bodies.map((body, index) => ({ id: (index + 1).toString(16), atMs: 10 - index, body }))
}

export function describeLogWords(backend: Backend): void {
  describeWithStore('searching logs by words', backend, (subject) => {
    const answers = answersWherever(subject)

    const plain = logsWith('Connection to PAYMENTS timed out', 'connection refused', 'Payments settled', '')
    answers('wants all words, in any order and case', { logs: plain }, async (reader) => {
      await expectLogs(reader, { words: ['connection'] }, ['1', '2'])
      await expectLogs(reader, { words: ['TIMED', 'payments'] }, ['1'])
      await expectLogs(reader, { words: ['settled', 'refused'] }, [])
      await expectLogs(reader, { words: [] }, ['1', '2', '3', '4'])
      await expectLogs(reader, { words: ['payments'], serviceName: 'nobody' }, [])
    })

    answers('finds a word that is part of another', { logs: plain }, async (reader) => {
      await expectLogs(reader, { words: ['pay'] }, ['1', '3'])
      await expectLogs(reader, { words: ['nnect', 'efus'] }, ['2'])
    })

    const scripts = logsWith(
      'ÜBERTRAGUNG fehlgeschlagen',
      'ошибка ПОДКЛЮЧЕНИЯ к базе',
      'ΟΔΟΣ κλειστή',
      '数据库连接失败',
      'فشل الاتصال',
      'ĞÖKÇE kaydedildi',
      'ቃል ተገኝቷል',
      'straße gesperrt',
      '接続 ＴＩＭＥＯＵＴ',
      '𐐔𐐯𐑅𐐨𐑉𐐯𐐻',
    )
    answers('knows the letters of every script in both cases', { logs: scripts }, async (reader) => {
      await expectLogs(reader, { words: ['übertragung'] }, ['1'])
      await expectLogs(reader, { words: ['ОШИБКА', 'подключения'] }, ['2'])
      await expectLogs(reader, { words: ['οδος'] }, ['3'])
      await expectLogs(reader, { words: ['οδοσ'] }, ['3'])
      await expectLogs(reader, { words: ['连接'] }, ['4'])
      await expectLogs(reader, { words: ['失败', '数据'] }, ['4'])
      await expectLogs(reader, { words: ['الاتصال'] }, ['5'])
      await expectLogs(reader, { words: ['ğökçe'] }, ['6'])
      await expectLogs(reader, { words: ['ተገኝቷል'] }, ['7'])
      await expectLogs(reader, { words: ['STRAẞE'] }, ['8'])
      await expectLogs(reader, { words: ['ｔｉｍｅｏｕｔ'] }, ['9'])
      await expectLogs(reader, { words: ['𐐼𐐇𐑅'] }, ['a'])
    })

    const accents = logsWith('caf\u00e9', 'cafe\u0301', 'CAFE\u0301', 'cafe')
    answers('finds accents however they are written', { logs: accents }, async (reader) => {
      await expectLogs(reader, { words: ['caf\u00e9'] }, ['1', '2', '3'])
      await expectLogs(reader, { words: ['cafe\u0301'] }, ['1', '2', '3'])
    })

    const signs = logsWith(
      'a.b',
      'axb',
      '100%',
      'C:\\temp',
      '(x|y)[z]{2}^$',
      'it\'s "so"',
      'a+b?c*',
      '#{id} <a-b>',
      '/x/y~z',
    )
    answers('takes signs as they are', { logs: signs }, async (reader) => {
      await expectLogs(reader, { words: ['a.b'] }, ['1'])
      await expectLogs(reader, { words: ['%'] }, ['3'])
      await expectLogs(reader, { words: ['c:\\TEMP'] }, ['4'])
      await expectLogs(reader, { words: ['(X|y)[z]{2}^$'] }, ['5'])
      await expectLogs(reader, { words: ["it's", '"so"'] }, ['6'])
      await expectLogs(reader, { words: ['a+b?c*'] }, ['7'])
      await expectLogs(reader, { words: ['#{ID}', '<a-b>'] }, ['8'])
      await expectLogs(reader, { words: ['/x/y~z'] }, ['9'])
      await expectLogs(reader, { words: ['\\Q'] }, [])
    })

    const long = logsWith(`${'x'.repeat(50_000)} needle`, 'many\nlines\nneedle', 'y'.repeat(1000))
    answers('looks through long bodies to their end', { logs: long }, async (reader) => {
      await expectLogs(reader, { words: ['needle'] }, ['1', '2'])
      await expectLogs(reader, { words: ['y'.repeat(1000)] }, ['3'])
      await expectLogs(reader, { words: Array.from({ length: 100 }, (_, n) => 'needle'.slice(0, 1 + (n % 6))) }, [
        '1',
        '2',
      ])
    })
  })
}
