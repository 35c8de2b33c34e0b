import type { HelpEntry } from "../modules/content/content.ts";

export function demoHelp(): HelpEntry[] {
  return [
    {
      tag: "faq",
      title: { TY: "Mga madalas itanong", EN: "Frequently asked questions" },
      content: {
        TY:
          "<h3>Paano magsimula?</h3>" +
          "<p>Mag-register gamit ang username o mobile number. Wala pang isang minuto, at " +
          "puwede ka nang mag-deposit at maglaro. Gusto mo munang sumilip? Pindutin ang " +
          "Libreng subok: 10,000 credit na pang-practice, walang register, hindi nga lang ito " +
          "mawi-withdraw.</p>" +
          "<h3>Ilang taon dapat?</h3>" +
          "<p>21 pataas. Isang account lang bawat tao.</p>" +
          "<h3>Na-stuck o nawalan ako ng signal sa gitna ng laro. Paano ang taya ko?</h3>" +
          "<p>Walang mawawala. Sa server namin nabubuo ang resulta, kaya pagbalik mo, itutuloy " +
          "ang parehong round na may parehong resulta. Kung hindi na ito maitutuloy, ibabalik " +
          "nang buo ang taya mo.</p>" +
          "<h3>Saan ko makikita ang mga taya at bayad ko?</h3>" +
          '<p>Nasa <a href="/m/gameRecord">rekord ng laro</a> ang bawat round, at nasa ' +
          '<a href="/m/transaction/record">rekord ng transaksyon</a> ang bawat pasok at labas ' +
          "ng pera.</p>" +
          "<h3>Nakalimutan ko ang password ko.</h3>" +
          "<p>Pindutin ang “Nalimutan ang password?” sa login. Padadalhan ka namin ng link sa " +
          "e-mail ng account mo. Kaya lagyan agad ng verified na e-mail ang account mo.</p>" +
          "<h3>Paano kayo kontakin?</h3>" +
          '<p>Gamitin ang <a href="/m/feedback">Feedback</a> kapag naka-login ka. Isama ang ' +
          "petsa, halaga at ang round ID o deposit ID para mabilis naming matingnan.</p>",
        EN:
          "<h3>How do I start?</h3>" +
          "<p>Register with a username or a mobile number. It takes less than a minute, and " +
          "then you can deposit and play. Want to look around first? Tap Free trial: 10,000 " +
          "practice credits, no registration, though they cannot be withdrawn.</p>" +
          "<h3>How old must I be?</h3>" +
          "<p>21 or older. One account for each person.</p>" +
          "<h3>I lost my signal in the middle of a game. What about my bet?</h3>" +
          "<p>Nothing is lost. Results are made on our server, so when you come back the same " +
          "round goes on with the same result. If it cannot go on, your whole bet is " +
          "returned.</p>" +
          "<h3>Where do I find my bets and payments?</h3>" +
          '<p>Every round stands in your <a href="/m/gameRecord">game records</a>, and all ' +
          'money in and out in your <a href="/m/transaction/record">transactions</a>.</p>' +
          "<h3>I forgot my password.</h3>" +
          "<p>Tap “Forgot password?” at the log-in. We send a link to the e-mail of your " +
          "account. So give your account a verified e-mail early on.</p>" +
          "<h3>How do I reach you?</h3>" +
          '<p>Use <a href="/m/feedback">Feedback</a> while you are logged in. Add the date, ' +
          "the amount and the round ID or deposit ID, so that we can look it up quickly.</p>",
      },
    },
    {
      tag: "deposits",
      title: { TY: "Pag-deposit", EN: "Deposits" },
      content: {
        TY:
          '<ol><li>Buksan ang <a href="/m/voucherCenter">Deposit</a> at pumili ng wallet.</li>' +
          "<li>Ilagay ang halaga: ₱100 hanggang ₱50,000 bawat deposit.</li>" +
          "<li>Magbayad sa page ng provider sa loob ng 30 minuto.</li></ol>" +
          "<p>Papasok agad sa balance mo ang bayad, karaniwan sa loob ng ilang segundo. Walang " +
          "singil ang Perya sa deposit.</p>" +
          "<h3>Nabawasan ang wallet ko pero wala sa balance</h3>" +
          "<p>Maghintay nang ilang minuto at i-refresh ang page. Kung “Hinihintay ang bayad” " +
          "pa rin pagkalipas ng 30 minuto, huwag magbayad ulit. Ipadala sa amin sa " +
          '<a href="/m/feedback">Feedback</a> ang deposit ID at ang reference number ng wallet ' +
          "mo.</p>" +
          "<h3>Kaninong wallet ang puwede?</h3>" +
          "<p>Sa iyo lang. Ibinabalik sa pinanggalingan ang depositong galing sa wallet ng " +
          "ibang tao.</p>" +
          "<p><i>Demo ito: sandbox ang mga wallet at walang totoong perang gumagalaw.</i></p>",
        EN:
          '<ol><li>Open <a href="/m/voucherCenter">Deposit</a> and choose a wallet.</li>' +
          "<li>Enter the amount: ₱100 to ₱50,000 for each deposit.</li>" +
          "<li>Pay on the provider's page within 30 minutes.</li></ol>" +
          "<p>The money is in your balance as soon as it is paid, usually within seconds. " +
          "Perya takes no fee on deposits.</p>" +
          "<h3>My wallet was charged, but my balance did not change</h3>" +
          "<p>Wait a few minutes and refresh the page. If it still says “Waiting for payment” " +
          "after 30 minutes, do not pay again. Send us the deposit ID and your wallet's " +
          'reference number through <a href="/m/feedback">Feedback</a>.</p>' +
          "<h3>Whose wallet may I use?</h3>" +
          "<p>Only your own. Deposits from somebody else's wallet are sent back to where they " +
          "came from.</p>" +
          "<p><i>This is a demonstration: the wallets are sandboxes and no real money " +
          "moves.</i></p>",
      },
    },
    {
      tag: "withdrawals",
      title: { TY: "Pag-withdraw", EN: "Withdrawals" },
      content: {
        TY:
          '<ol><li>Buksan ang <a href="/m/withdraw">Withdraw</a> at ilagay ang halaga: ₱100 ' +
          "hanggang ₱50,000.</li>" +
          "<li>Ilagay ang 11-digit na number ng wallet mo. Basahing mabuti bago " +
          "kumpirmahin.</li>" +
          "<li>Itatabi agad ang halaga at ipapadala namin.</li></ol>" +
          "<table><tr><th>Halaga</th><th>Pag-apruba</th></tr>" +
          "<tr><td>Hanggang ₱5,000</td><td>Awtomatiko, agad</td></tr>" +
          "<tr><td>Higit sa ₱5,000</td><td>Sinusuri muna ng team</td></tr></table>" +
          "<p>Hanggang 5 ang sabay-sabay na nakabinbing request. Kapag tinanggihan o hindi " +
          "natuloy ang withdrawal, babalik nang buo sa balance mo ang halaga.</p>" +
          "<h3>Bakit kailangang suriin?</h3>" +
          "<p>Para matiyak na sa iyo mapupunta ang pera. Puwede kaming humingi ng valid ID na " +
          "tugma sa pangalan ng wallet mo. Walang taga-Perya na hihingi ng password o code " +
          "mo.</p>",
        EN:
          '<ol><li>Open <a href="/m/withdraw">Withdraw</a> and enter the amount: ₱100 to ' +
          "₱50,000.</li>" +
          "<li>Enter the 11-digit number of your wallet. Read it twice before you confirm.</li>" +
          "<li>The amount is set aside at once, and we send it.</li></ol>" +
          "<table><tr><th>Amount</th><th>Approval</th></tr>" +
          "<tr><td>Up to ₱5,000</td><td>Automatic, at once</td></tr>" +
          "<tr><td>Above ₱5,000</td><td>Reviewed by our team first</td></tr></table>" +
          "<p>You may have up to 5 requests waiting at a time. If a withdrawal is rejected or " +
          "does not go through, the whole amount returns to your balance.</p>" +
          "<h3>Why is there a review?</h3>" +
          "<p>So that your money goes to you and nobody else. We may ask for a valid ID in the " +
          "name of your wallet. Nobody from Perya will ever ask for your password or codes.</p>",
      },
    },
    {
      tag: "bonuses",
      title: { TY: "Mga bonus at promo", EN: "Bonuses and promotions" },
      content: {
        TY:
          "<p>May sariling kondisyon ang bawat promo: kanino ito, hanggang kailan, at magkano " +
          "ang kailangang itaya bago ma-withdraw. Nakasulat ang lahat ng ito sa promo bago ka " +
          "sumali.</p>" +
          "<h3>Ano ang turnover?</h3>" +
          "<p>Ang kabuuan ng mga taya mo. Kung ₱100 ang bonus at 10× ang turnover, kailangang " +
          "umabot sa ₱1,000 ang kabuuang taya bago mawi-withdraw ang bonus at ang napanalunan " +
          "dito.</p>" +
          "<h3>Kailan nawawala ang bonus?</h3>" +
          "<p>Kapag lumampas sa petsa ng promo, o kapag gumamit ng higit sa isang account para " +
          "makakuha nito. Hindi kailanman kasama rito ang sarili mong deposit.</p>" +
          "<h3>May bonus ba ang pag-imbita?</h3>" +
          '<p>Nasa <a href="/m/inviteFriends">Imbita</a> ang link mo at ang patakaran. Ang ' +
          "credit ng libreng subok ay pang-practice lang at hindi nagiging bonus.</p>",
        EN:
          "<p>Each promotion has terms of its own: who it is for, until when, and how much " +
          "must be staked before a withdrawal. All of it is written on the promotion before " +
          "you join.</p>" +
          "<h3>What is turnover?</h3>" +
          "<p>The sum of your stakes. With a bonus of ₱100 and a turnover of 10×, your stakes " +
          "must come to ₱1,000 before the bonus and what it won can be withdrawn.</p>" +
          "<h3>When is a bonus lost?</h3>" +
          "<p>When the promotion's last day has passed, or when more than one account is used " +
          "to get it. Your own deposits are never part of that.</p>" +
          "<h3>Is there a bonus for inviting friends?</h3>" +
          '<p>Your link and the rules are on <a href="/m/inviteFriends">Invite</a>. Free trial ' +
          "credit is for practice only and never becomes a bonus.</p>",
      },
    },
    {
      tag: "fairness",
      title: { TY: "Patas na laro", EN: "Fair games" },
      content: {
        TY:
          "<p>Hindi mo kami kailangang paniwalaan: masusuri mo mismo ang bawat round ng mga " +
          "laro ng Perya.</p>" +
          "<ol><li>Bago ang round, ipinapakita namin ang hash ng lihim naming seed. Hindi na " +
          "ito mababago.</li>" +
          "<li>Hinahalo rito ang client seed mo. Doon lang nanggagaling ang resulta. Sa " +
          "Saranggola na sabay-sabay ang lahat, magkakadugtong na seed ang gamit.</li>" +
          "<li>Kapag ibinunyag ang seed, kukuwentahin ulit ng phone mo ang round at sasabihin " +
          "kung tugma.</li></ol>" +
          '<p>Subukan sa <a href="/m/fairness">Patas na Laro</a>, o buksan ang isang round sa ' +
          '<a href="/m/gameRecord">rekord ng laro</a> at pindutin ang I-verify.</p>' +
          "<h3>Gaano kalaki ang balik ng bawat laro?</h3>" +
          "<table><tr><th>Laro</th><th>Balik sa manlalaro</th></tr>" +
          "<tr><td>Parol Fortune</td><td>96.18%</td></tr>" +
          "<tr><td>Color Game</td><td>92.13%</td></tr>" +
          "<tr><td>Saranggola</td><td>99.00%</td></tr></table>" +
          "<p>Pangmatagalang average ito sa napakaraming round, hindi pangako sa susunod mong " +
          "taya. Pareho ang tsansa sa libreng subok at sa totoong laro.</p>",
        EN:
          "<p>You need not take our word for it: you can check every round of Perya's own " +
          "games yourself.</p>" +
          "<ol><li>Before a round we show the hash of our secret seed. It cannot be changed " +
          "afterwards.</li>" +
          "<li>Your client seed is mixed in. The result follows from the two alone. Saranggola, " +
          "which everyone flies together, uses a chain of seeds instead.</li>" +
          "<li>Once the seed is revealed, your phone works the round out again and tells you " +
          "whether it agrees.</li></ol>" +
          '<p>Try it on <a href="/m/fairness">Fairness</a>, or open a round in your ' +
          '<a href="/m/gameRecord">game records</a> and tap Verify.</p>' +
          "<h3>How much does each game return?</h3>" +
          "<table><tr><th>Game</th><th>Return to player</th></tr>" +
          "<tr><td>Parol Fortune</td><td>96.18%</td></tr>" +
          "<tr><td>Color Game</td><td>92.13%</td></tr>" +
          "<tr><td>Saranggola</td><td>99.00%</td></tr></table>" +
          "<p>These are long-run averages over very many rounds, not a promise about your next " +
          "bet. The free trial has the same odds as the real games.</p>",
      },
    },
    {
      tag: "security",
      title: { TY: "Kaligtasan ng account", EN: "Keeping your account safe" },
      content: {
        TY:
          "<ul><li><b>Password na dito mo lang ginagamit.</b> Hindi bababa sa 8 na character; " +
          "mas mahaba, mas ligtas.</li>" +
          "<li><b>Authenticator app o passkey.</b> Kahit may makakuha ng password mo, hindi " +
          "siya makakapasok.</li>" +
          "<li><b>Verified na e-mail at mobile number.</b> Dito ka makakabalik kapag " +
          "nakalimutan mo ang password.</li>" +
          "<li><b>Silipin ang mga device mo.</b> I-sign out ang hindi mo kilala.</li></ul>" +
          '<p>Makikita lahat ito sa <a href="/m/securityCenter">Security center</a>. ' +
          "Nag-e-e-mail din kami kapag may nagbago sa kung paano binubuksan ang account mo.</p>" +
          "<h3>Iwas scam</h3>" +
          "<p>Walang taga-Perya na hihingi ng password, SMS code o recovery code, kahit sa " +
          "chat o tawag. Sa site na ito lang mag-login, at huwag magbayad sa wallet na " +
          "ipinadala sa iyo ng iba.</p>" +
          "<h3>May nakapasok sa account ko</h3>" +
          "<p>I-sign out agad ang lahat ng device sa Security center, palitan ang password, at " +
          'sumulat sa <a href="/m/feedback">Feedback</a>.</p>',
        EN:
          "<ul><li><b>A password that you use nowhere else.</b> At least 8 characters; longer " +
          "is safer.</li>" +
          "<li><b>An authenticator app or a passkey.</b> A thief of your password still " +
          "cannot get in.</li>" +
          "<li><b>A verified e-mail and mobile number.</b> They bring you back when you forget " +
          "your password.</li>" +
          "<li><b>A look at your devices.</b> Sign out those that you do not know.</li></ul>" +
          '<p>All of it is in the <a href="/m/securityCenter">Security centre</a>. We also ' +
          "e-mail you when the way into your account changes.</p>" +
          "<h3>Scams</h3>" +
          "<p>Nobody from Perya will ask for a password, an SMS code or a recovery code, in a " +
          "chat or on the phone. Log in on this site only, and never pay into a wallet that " +
          "somebody sent you.</p>" +
          "<h3>Somebody got into my account</h3>" +
          "<p>Sign out all devices in the Security centre at once, change your password, and " +
          'write to <a href="/m/feedback">Feedback</a>.</p>',
      },
    },
    {
      tag: "responsible",
      title: { TY: "Responsableng paglalaro", EN: "Playing responsibly" },
      content: {
        TY:
          "<p><b>21 pataas lang.</b> Libangan ang laro, hindi hanapbuhay. Sa katagalan, lamang " +
          "ang bahay sa bawat laro.</p>" +
          "<ul><li>Magtakda ng halaga at oras bago magsimula, at tumigil kapag naabot.</li>" +
          "<li>Huwag habulin ang talo. Hiwalay ang bawat round sa nauna.</li>" +
          "<li>Huwag gamitin ang pambayad ng bahay, pagkain, gamot o utang.</li>" +
          "<li>Huwag maglaro nang lasing, galit o malungkot.</li>" +
          "<li>Sa autoplay ng Parol Fortune, lagyan ng hangganan kung kailan ito " +
          "titigil.</li></ul>" +
          "<h3>Mga palatandaan na sobra na</h3>" +
          "<p>Nangungutang ka para makalaro, itinatago mo ito sa pamilya, o naiinis ka kapag " +
          "tumitigil. Kung oo ang sagot sa kahit isa, magpahinga muna.</p>" +
          "<h3>Pahinga o pagsasara ng account</h3>" +
          '<p>Sumulat sa <a href="/m/feedback">Feedback</a> at sabihin kung hanggang kailan. ' +
          "Iho-hold namin ang account para walang makataya rito, at ibabalik namin sa iyo ang " +
          "balance mo.</p>" +
          "<h3>May makakausap ka</h3>" +
          "<p>National Center for Mental Health Crisis Hotline, 24 oras, libre: " +
          '<a href="tel:1553">1553</a>.</p>',
        EN:
          "<p><b>21 and over only.</b> Games are for fun, not for a living. In the long run " +
          "the house has the edge in every game.</p>" +
          "<ul><li>Set an amount and a time before you begin, and stop when you reach it.</li>" +
          "<li>Never chase a loss. No round knows of the one before.</li>" +
          "<li>Never use money for rent, food, medicine or debts.</li>" +
          "<li>Do not play when you are drunk, angry or sad.</li>" +
          "<li>In Parol Fortune's autoplay, set the limit at which it stops.</li></ul>" +
          "<h3>Signs that it is too much</h3>" +
          "<p>You borrow to play, you hide it from your family, or you are upset when you " +
          "stop. If even one is true, take a rest.</p>" +
          "<h3>A break, or closing your account</h3>" +
          '<p>Write to <a href="/m/feedback">Feedback</a> and say until when. We put the ' +
          "account on hold, so that nobody can bet with it, and return your balance to you.</p>" +
          "<h3>Somebody to talk to</h3>" +
          "<p>National Center for Mental Health Crisis Hotline, 24 hours, free of charge: " +
          '<a href="tel:1553">1553</a>.</p>',
      },
    },
    {
      tag: "terms",
      title: { TY: "Mga tuntunin", EN: "Terms and conditions" },
      content: {
        TY:
          "<p>Sumasang-ayon ka sa mga ito kapag nagbukas ka ng account.</p>" +
          "<h3>1. Sino ang puwede</h3>" +
          "<p>21 taong gulang pataas, nasa lugar kung saan legal ang paglalaro, at naglalaro " +
          "para sa sarili. Bawal ang mga opisyal ng gobyerno at iba pang pinagbabawalan ng " +
          "batas. Isang account bawat tao; puwede naming isara ang mga duplicate.</p>" +
          "<h3>2. Ang account mo</h3>" +
          "<p>Tama at sa iyo dapat ang mga detalye. Ikaw ang may hawak ng password at mga code " +
          "mo, at pananagutan mo ang ginagawa gamit ang mga ito. Sabihan kami agad kung may " +
          "ibang nakapasok.</p>" +
          "<h3>3. Pera</h3>" +
          "<p>Sa sarili mong wallet lang magde-deposit at magwi-withdraw. Puwede kaming " +
          "humingi ng ID bago magbayad, ayon sa batas laban sa money laundering. Walang tubo " +
          "ang balance.</p>" +
          "<h3>4. Mga taya</h3>" +
          "<p>Hindi na mababawi ang tayang tinanggap na. Rekord ng server ang sinusunod. Ang " +
          "naputol na round ay itutuloy sa parehong resulta o kakanselahin at ibabalik ang " +
          "taya. Walang bisa ang bayad na galing sa halatang sira ng system; ibinabalik ang " +
          "taya.</p>" +
          "<h3>5. Bawal</h3>" +
          "<p>Bot, sabwatan, pandaraya, paggamit ng account ng iba, at perang galing sa " +
          "krimen. Puwede naming i-hold ang account habang nag-iimbestiga.</p>" +
          "<h3>6. Mga promo</h3>" +
          "<p>Sinusunod ang kondisyong nakasulat sa bawat promo noong sumali ka.</p>" +
          "<h3>7. Ang data mo</h3>" +
          "<p>Ginagamit namin ang data mo para patakbuhin ang account, magbayad, at sumunod sa " +
          "batas, ayon sa Data Privacy Act of 2012. Puwede mong hingin, itama o ipabura ang " +
          "data na hindi na kailangang itago ayon sa batas.</p>" +
          "<h3>8. Reklamo at pagbabago</h3>" +
          '<p>Sumulat sa <a href="/m/feedback">Feedback</a>. Kapag may mahalagang pagbabago sa ' +
          "mga tuntunin, ipapaalam namin bago ito umiral, at puwede mong isara ang account at " +
          "kunin ang balance mo.</p>",
        EN:
          "<p>You agree to these when you open an account.</p>" +
          "<h3>1. Who may play</h3>" +
          "<p>You may play if you are 21 or older, are where playing is legal, and play for yourself. " +
          "Government officials and others whom the law excludes may not. One account for each " +
          "person; we may close duplicates.</p>" +
          "<h3>2. Your account</h3>" +
          "<p>Its details must be true and your own. Your password and codes are in your " +
          "keeping, and you answer for what is done with them. Tell us at once if somebody " +
          "else got in.</p>" +
          "<h3>3. Money</h3>" +
          "<p>Deposit from and withdraw to your own wallet only. We may ask for an ID before " +
          "we pay, as the law against money laundering wants it. A balance earns no " +
          "interest.</p>" +
          "<h3>4. Bets</h3>" +
          "<p>A bet that was accepted cannot be taken back. Our server's record decides. A " +
          "round that was cut off goes on with the same result, or is cancelled and its stake " +
          "returned. A payout from an evident fault of the system is void; the stake is " +
          "returned.</p>" +
          "<h3>5. What is forbidden</h3>" +
          "<p>Bots, collusion, fraud, the use of somebody else's account, and money from " +
          "crime. We may hold an account while we look into it.</p>" +
          "<h3>6. Promotions</h3>" +
          "<p>The terms that stood on a promotion when you joined it apply.</p>" +
          "<h3>7. Your data</h3>" +
          "<p>We use your data to run your account, to pay you and to follow the law, under " +
          "the Data Privacy Act of 2012. You may ask for it, correct it, or have deleted what " +
          "the law no longer makes us keep.</p>" +
          "<h3>8. Complaints and changes</h3>" +
          '<p>Write to <a href="/m/feedback">Feedback</a>. When an important part of these ' +
          "terms changes we tell you before it applies, and you may close your account and " +
          "take your balance with you.</p>",
      },
    },
  ];
}
