# packages: openssl coreutils
# limit: 600
# Digests, ciphers and signatures, whose code paths follow CPUID.
set -u
head -c 300000 /usr/bin/bash >data
for digest in md5 sha1 sha224 sha256 sha384 sha512 sha512-256 sha3-256 shake128 blake2b512 blake2s256 ripemd160 sm3; do
	openssl dgst -$digest data
done
openssl dgst -sha256 -hmac key data
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
iv=0f0e0d0c0b0a09080706050403020100
for cipher in aes-128-cbc aes-256-cbc aes-128-ctr aes-256-ctr aes-192-ecb aes-256-cfb aes-128-ofb chacha20 camellia-256-cbc des-ede3-cbc sm4-cbc aria-128-cbc; do
	length=64
	case $cipher in *128*|sm4*) length=32 ;; *192*|des*) length=48 ;; esac
	vector=$iv
	case $cipher in des*) vector=${iv:0:16} ;; *ecb) vector= ;; esac
	openssl enc -$cipher -K ${key:0:$length} ${vector:+-iv $vector} -in data -out $cipher.bin
	openssl enc -d -$cipher -K ${key:0:$length} ${vector:+-iv $vector} -in $cipher.bin | cmp - data && echo "$cipher $(sha256sum <$cipher.bin)"
done
openssl enc -aes-256-cbc -pbkdf2 -iter 2000 -S 0011223344556677 -pass pass:secret -in data | sha256sum
openssl base64 -in data | md5sum
openssl prime -hex FFFFFFFFFFFFFFC5 1000003
openssl prime 1000004
cp "$workloads"/keys/* .
openssl rsa -in rsa.pem -noout -text | head -n 8
openssl dgst -sha256 -sign rsa.pem -out rsa.sig data && sha256sum <rsa.sig
openssl rsa -in rsa.pem -pubout -out rsa.pub 2>/dev/null
openssl dgst -sha256 -verify rsa.pub -signature rsa.sig data
echo changed | openssl dgst -sha256 -verify rsa.pub -signature rsa.sig 2>&1 | grep -o "rsa.*"
openssl pkey -in ed25519.pem -pubout -out ed.pub
openssl pkeyutl -sign -inkey ed25519.pem -rawin -in data -out ed.sig && sha256sum <ed.sig
openssl pkeyutl -verify -pubin -inkey ed.pub -rawin -in data -sigfile ed.sig
openssl ec -in p256.pem -pubout -out p256.pub 2>/dev/null
openssl dgst -sha384 -sign p256.pem -out p256.sig data
openssl dgst -sha384 -verify p256.pub -signature p256.sig data
rm p256.sig # has a random number in it
openssl req -new -key rsa.pem -subj /CN=simulator -sha256 | sha256sum
openssl pkeyutl -derive -inkey x1.pem -peerkey x2.pub | sha256sum
openssl ecparam -name secp384r1 -genkey -noout | openssl ec -noout -text 2>/dev/null | grep NIST
openssl rand -hex 16 | wc -c
openssl asn1parse -in rsa.pem | head -n 5
