"""Addresses that are not public are known for what they are, however they are written."""

from __future__ import annotations

import socket

import pytest

from focused.utils.addresses import KINDS, address_of, kind_of, kind_of_host

ADDRESSES = {
    "loopback": "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::1",
    "private": "10.0.0.9 172.16.0.1 172.31.255.255 192.168.1.1 fd00::1 fc00::1 fec0::1 64:ff9b:1::a00:1 ::ffff:10.0.0.9 "
    # ISATAP, and Teredo with the client, and the server, 10.0.0.9
    "2001:470::5efe:a00:9 2001:0:5db8:d70e::f5ff:fff6 2001:0:a00:9:0:ffff:a247:28f1",
    "link_local": "169.254.0.1 fe80::1 fe80::1%eth0 ::ffff:169.254.7.7",
    "shared": "100.64.0.1 100.127.255.255",
    "multicast": "224.0.0.1 239.255.255.255 ff02::1",
    "reserved": "192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 240.0.0.1 255.255.255.255 2001:db8::1 3fff::1 100::1 "
    "4000::1 5f00::1",
    "unspecified": "0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0",
    "metadata": "169.254.169.254 168.63.129.16 100.100.100.200 fd00:ec2::254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe",
}
PUBLIC = "93.184.215.14 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 11.0.0.1 126.0.0.1 223.255.255.255 "
PUBLIC += "2606:2800:21f:cb07::1 2001:4860:4860::8888 64:ff9b::5db8:d70e ::ffff:93.184.215.14 2002:5db8:d70e::1"


@pytest.mark.parametrize("kind", KINDS)
def test_an_address_is_of_its_kind_in_whatever_form(kind):
    assert {address: kind_of(address) for address in ADDRESSES[kind].split()} == dict.fromkeys(
        ADDRESSES[kind].split(), kind
    )


def test_public_addresses_are_public():
    assert {address: kind_of(address) for address in PUBLIC.split()} == dict.fromkeys(PUBLIC.split(), "")


@pytest.mark.parametrize(
    "host", "127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 0X7F.1 127.0.0.01 127.0x1".split()
)
def test_odd_spellings_of_numbers_are_read_as_the_system_reads_them(host):
    assert address_of(host) == socket.inet_ntoa(socket.inet_aton(host)) == "127.0.0.1"
    assert kind_of_host(f"{host}.") == "loopback"


@pytest.mark.parametrize(
    "host", ["1.2.3.4.5", "256.1.1.1", "1.2.3.256", "08.1.1.1", "4294967296", "a.1", "", "1..2", "127.0.0.1x"]
)
def test_what_is_no_number_is_a_name(host):
    assert address_of(host) == ""


@pytest.mark.parametrize(
    "name", ["localhost", "LOCALHOST.", "a.b.localhost", "metadata.google.internal", "Metadata", "[::1]"]
)
def test_some_names_are_known_without_asking(name):
    assert kind_of_host(name)


@pytest.mark.parametrize(
    "name", ["localhost.example", "example.org", "metadata.example", "127.0.0.1.example", "1.1", "[2606::1]"]
)
def test_other_names_are_looked_up(name):
    assert kind_of_host(name) == ""
